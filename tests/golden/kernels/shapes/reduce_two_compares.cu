// A largest number by comparison that is signed in one place and unsigned in another.
//
// RUN: ccc --block 96
// REFUSED: line 11: register `%r32`, which the marked path hands on, is no reduction: `max.u32` folds another kind of number into it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
#CCC for reduce(max:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { if (v & 2) s = (int)max((unsigned)s, (unsigned)(v * 31 - 400)); else s = max(s, v * 3 - 60); }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
