// The sum is doubled in the rest of the iteration.
//
// RUN: ccc --block 96
// REFUSED: line 12: register `%r25`, which the marked path hands on, is no reduction: `shl.b32` takes it for something else than `+`
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { s += v * 31; }
        s *= 2;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
