// As `exit_in_call` with an accumulator.
//
// RUN: ccc --block 96
// REFUSED: line 7: a call of `leave` before it or in it, in which threads may end
__noinline__ __device__ void leave(int x) { if (x % 5 == 3) asm volatile("exit;"); }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    leave(threadIdx.x);
    int s = 0;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            s += i * v;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
