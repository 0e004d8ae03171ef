// __activemask and __syncwarp in the path.
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
            int leader = __ffs(m) - 1;
            int lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane));
            if (lane == leader) atomicAdd(&out[n - 1], __popc(m)); 
        }
    }
}
