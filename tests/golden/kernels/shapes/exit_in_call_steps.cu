// As `exit_in_call` with a marked inner loop that is run step by step and shared.
//
// RUN: ccc --block 96
// REFUSED: line 7: a call of `leave` before it or in it, in which threads may end
__noinline__ __device__ void leave(int x) { if (x % 5 == 3) asm volatile("exit;"); }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    leave(threadIdx.x);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC for
        for (int j = 0; j < v; ++j) atomicAdd(&out[i], j * v);
    }
}
