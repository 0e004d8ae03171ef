// A task graph: task i waits until its counter of missing inputs is zero, then lowers the counters of tasks 2i and 2i+1.
// HANGS: O3 G
// ENDS: 0 1 2 2 3 3 3 3 4
extern "C" __global__ void k(int *data, int n) {
    __shared__ int missing[64], depth[64];
    int i = 63 - threadIdx.x;
    missing[i] = i > 1 ? 1 : 0;
    depth[i] = 0;
    __syncthreads();
    while (atomicMax(&missing[i], 0) > 0) __nanosleep(20);
    int d = i == 0 ? 0 : atomicAdd(&depth[i / 2], 0) + n - 3;
    atomicExch(&depth[i], d);
    __threadfence_block();
    if (i > 0 && 2 * i + 1 < 64) {
        atomicSub(&missing[2 * i], 1);
        atomicSub(&missing[2 * i + 1], 1);
    }
    data[blockIdx.x * 64 + i] = d;
}
