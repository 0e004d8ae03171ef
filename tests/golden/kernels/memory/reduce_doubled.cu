// Horner's rule is no sum: the accumulator is multiplied and added to.
//
// RUN: ccc --block 96
// REFUSED: line 15: register `%r40`, which the marked path hands on, is no reduction: `shl.b32` takes it for something else than `+`
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 1000;
//#CCC for reduce(+:sum)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
            sum += sum + x;
        }
    }
    out[t] = sum;
}
