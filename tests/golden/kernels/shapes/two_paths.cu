// Two marked paths of one loop: the second reads what the first writes.
//
// RUN: ccc --block 96
// REFUSED: line 17: the load of `a` at line 17 depends on the store to `a` at line 13 of the marked path, which would run later, and cannot run with it
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[i] = v * i;
        }
#CCC if
        if (v & 2) {
            out[i] = a[i] + 1;
        }
    }
}
