// Lock-free queues and rings.
// All kernels: a = the structure (all zero at the start), b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned ms_head, ms_tail, ms_next[1024];
__device__ Word counted_head, counted_tail, counted_next[1024];
__device__ unsigned cells[4096], cells_head, cells_tail;
__device__ Word crq_ring[256];
__device__ unsigned crq_head, crq_tail;
__device__ unsigned vyukov_sequence[64], vyukov_value[64], vyukov_head, vyukov_tail;
__device__ unsigned ring_head, ring_tail, ring_values[256];

// nothing: vyukov_try_put_few
// Vyukov's bounded queue with a limit of tries.
extern "C" __global__ void vyukov_try_put_few(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < 64) vyukov_sequence[t] = t;
    __syncthreads();
    if (t >= n) return;
    for (int tries = 0; tries < 1000; ++tries) {
        unsigned place = atomicAdd(&vyukov_tail, 0);
        unsigned sequence = atomicAdd(&vyukov_sequence[place & 63], 0);
        if (sequence == place && atomicCAS(&vyukov_tail, place, place + 1) == place) {
            atomicExch(&vyukov_value[place & 63], t + 1);
            __threadfence();
            atomicExch(&vyukov_sequence[place & 63], place + 1);
            atomicAdd(b, 1);
            break;
        }
        if ((int)(sequence - place) < 0) break;
    }
}

// nothing: ring_claim
// Ring of many producers: a place is claimed by compare and swap while the ring has room, else the item is dropped.
extern "C" __global__ void ring_claim(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned tail = atomicAdd(&ring_tail, 0);
    bool claimed = false;
    while (tail - atomicAdd(&ring_head, 0) < 256) {
        unsigned seen = atomicCAS(&ring_tail, tail, tail + 1);
        if (seen == tail) { claimed = true; break; }
        tail = seen;
    }
    if (claimed) {
        ring_values[tail & 255] = t;
        atomicAdd(b, 1);
    }
}

// nothing: ring_batch
// Ring of many producers: a warp's leader claims places for all of its lanes, the lanes fill them.
extern "C" __global__ void ring_batch(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int lane = threadIdx.x & 31;
    unsigned *tail = a, *values = a + 1, first = 0;
    if (lane == 0) {
        unsigned old = *(volatile unsigned *)tail, assumed;
        do {
            assumed = old;
            if (assumed + 32 > 4000) break;
            old = atomicCAS(tail, assumed, assumed + 32);
        } while (old != assumed);
        first = assumed;
    }
    first = __shfl_sync(0xffffffffu, first, 0);
    if (first + 32 <= 4000) {
        values[first + lane] = first + lane;
        atomicAdd(b, 1);
    }
}
