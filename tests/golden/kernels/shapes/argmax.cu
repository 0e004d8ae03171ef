// The largest number and where it was: the place depends on the number.
//
// RUN: ccc --block 96
// REFUSED: line 11: register `%r35`, which the marked path hands on, is no reduction: `setp.gt.s32` takes it for something else than `max`
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ where) {
    int s = 3, w = -1;
#CCC for reduce(max:s,w)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { if (v > s) { s = v; w = i; } }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
    where[blockIdx.x * blockDim.x + threadIdx.x] = w;
}
