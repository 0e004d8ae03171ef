// A marked if with an else, where both write the value that follows uses through memory.
//
// RUN: ccc --block 96
// REFUSED: line 13: the load of `out` at line 13 depends on the store to `out` at line 12 of the marked path, which would run later, and cannot run with it
// LAUNCH: k 2 96 i32:450 i32[450]=below:12:1 i32[450]=0 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { out[i] = v * 3; } else { out[i] = v * 5; }
        more[i] = out[i] + 1;
#CCC if
        if (v & 2) { more[i] += out[i]; }
    }
}
