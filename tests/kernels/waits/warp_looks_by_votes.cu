// HANGS: O3 G
// ENDS: 64 0
// one warp votes in a loop on what the lanes of the other pass on from one to the next
__device__ int up[40];
extern "C" __global__ void k(int *m, int n) {
    int t = threadIdx.x;
    volatile int *seen = up;
    if (blockIdx.x) return;
    if (t < 32) {
        if (t > 0) while (seen[t - 1] == 0) {}
        seen[t] = 1;
    } else {
        while (__ballot_sync(~0u, seen[t - 32] != 0) != ~0u) {}
    }
    atomicAdd(m, 1);
}
