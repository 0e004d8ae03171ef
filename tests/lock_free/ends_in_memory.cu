// Counters that are compared with a number in memory. Where the kernel writes that number somewhere else, a lane may count until another one does; that it does not is assumed.

typedef unsigned u;
#define READ(x) (*(volatile u *)&(x))

__device__ u head, limit, closed, segment, limits[2];

// assumed: until_another_lane_lowers_the_limit
extern "C" __global__ void until_another_lane_lowers_the_limit(u *out) {
    if (threadIdx.x) {
        while (atomicAdd(&head, 1) < READ(limit));
    } else {
        atomicExch(&limit, 1);
    }
    out[threadIdx.x] = 1;
}

// assumed: until_closed
// The end is made of a flag.
extern "C" __global__ void until_closed(u *out) {
    if (threadIdx.x) {
        while (atomicAdd(&head, 1) < ~READ(closed));
    } else {
        atomicExch(&closed, ~0u);
    }
    out[threadIdx.x] = 1;
}

// assumed: until_another_segment
// What is written says where the end is read.
extern "C" __global__ void until_another_segment(u *out) {
    if (threadIdx.x) {
        while (atomicAdd(&head, 1) < READ(limits[READ(segment)]));
    } else {
        atomicExch(&segment, 1);
    }
    out[threadIdx.x] = 1;
}

// nothing: limit_that_nobody_writes
extern "C" __global__ void limit_that_nobody_writes(u *out) {
    u n = 0;
    while (atomicAdd(&head, 1) < READ(limit)) ++n;
    out[threadIdx.x] = n;
}
