// The path reads the sum that it adds to, in its condition.
//
// RUN: ccc --block 96
// REFUSED: line 11: register `%r25`, which the marked path hands on, is no reduction: `setp.lt.s32` takes it for something else than `+`
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { if (s < 30) s += v * 31; }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
