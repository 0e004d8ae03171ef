// The position of the smallest number is no accumulator, though the number is.
//
// RUN: ccc --block 96
// REFUSED: line 15: register `%r51`, which the marked path hands on, is no reduction: `setp.lt.s32` takes it for something else than `min`
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ where) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 1000000, at = -1;
//#CCC for reduce(min:best)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = (x * 31 + (x >> 7) + v) & 0xffff;
            if (x < best) { best = x; at = i; }
        }
    }
    out[t] = best; where[t] = at;
}
