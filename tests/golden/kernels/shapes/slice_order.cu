// What follows the path depends on it in part: carried and independent statements stand between the dependent ones.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=iota i32[250]=0 i32[250]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* __restrict__ a, volatile int* __restrict__ b, int* __restrict__ o1, int* __restrict__ o2, int* __restrict__ counts) {
    int count = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            a[i] = i * 7 + v;
        }
        o1[i] = a[i] + b[i];
        count = count * 3 + v;
        b[i] = count;
        o2[i] = a[i] + count + b[i];
        count += i;
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
