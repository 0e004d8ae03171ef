// A sense-reversing barrier that all threads of both blocks go through in each of n rounds.
// HANGS: O3 G
// ENDS: 512 0
__device__ int count;
__device__ volatile int sense;
extern "C" __global__ void k(int *data, int n) {
    int mine = 0, bad = 0;
    for (int round = 0; round < n; ++round) {
        atomicAdd(&data[0], 1);
        __threadfence();
        mine = 1 - mine;
        if (atomicAdd(&count, 1) == gridDim.x * blockDim.x - 1) {
            count = 0;
            __threadfence();
            sense = mine;
        } else {
            while (sense != mine) {}
        }
        __threadfence();
        if (atomicAdd(&data[0], 0) < (round + 1) * 128) bad = 1;
    }
    if (bad) atomicAdd(&data[1], 1);
}
