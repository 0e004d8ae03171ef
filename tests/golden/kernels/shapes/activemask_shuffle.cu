// Warp-aggregated atomics in the path: activemask, shuffle, popc.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path has `activemask.b32`, which lanes must execute together
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            unsigned m = __activemask();
            int x = __reduce_add_sync(m, v);
            __syncwarp(m);
            int lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane));
            if (lane == __ffs(m) - 1) atomicAdd(&out[0], x);
        }
    }
}
