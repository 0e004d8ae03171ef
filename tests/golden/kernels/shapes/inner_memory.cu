// A marked while that communicates from round to round through memory of its iteration.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[1000]=iota
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* a) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC while
        while (a[4 * i + 1] < 10 * v + 500) {
            a[4 * i + 2] = a[4 * i + 1] + a[4 * i];
            a[4 * i] = a[4 * i + 1];
            a[4 * i + 1] = a[4 * i + 2] + 1;
        }
        a[4 * i + 3] = a[4 * i + 2] - a[4 * i + 1];
    }
}
