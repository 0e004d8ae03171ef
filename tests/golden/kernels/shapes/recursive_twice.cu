// A function that calls itself twice, marked recursive, with something behind.
//
// RUN: ccc --block 96
// REFUSED: line 16: the compiler made no loop of the recursion
__device__ void walk(int x, int* o) {
    *o = *o * 3 + x;
    if (x > 1) { walk(x / 2, o); walk(x / 3, o); }
    *o += 1;
}
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
#CCC recursive
            walk(v, out + i);
        }
        out[i] ^= 5;
    }
}
