// A function that calls itself once as the last thing it does, marked recursive.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0
// EXPECT: same-memory
__device__ void walk(int x, int depth, int* o) {
    *o = *o * 3 + x;
    if (x > 1 && depth < 20) walk(x & 1 ? 3 * x + 1 : x / 2, depth + 1, o);
}
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
#CCC recursive
            walk(v, 0, out + i);
        }
    }
}
