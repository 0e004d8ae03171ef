// Some lanes end in a function that is not inlined, called in the rest of the iteration.
//
// RUN: ccc --block 96
// REFUSED: line 16: a call of `leave` before it or in it, in which threads may end
__noinline__ __device__ void leave(int x) { if (x % 5 == 3) asm volatile("exit;"); }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
        if (v == 8) leave(i);
    }
}
