// Each thread has a scratch word in shared memory that the iteration fills before the path, which reads it.
//
// RUN: ccc --block 96
// REFUSED: line 10: the load of `s` at line 13 of the marked path may meet the store to `s` at line 10 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int s[96];
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        s[threadIdx.x] = i * v;
#CCC if
        if (v & 1) {
            out[i] = s[threadIdx.x] + 1;
        }
    }
}
