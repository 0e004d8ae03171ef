// Two marked branches fold into the same accumulator, and an unmarked one too.
//
// RUN: ccc --block 96
// LAUNCH: folds 2 96 i32:900 i32[900]=below:1000:1 i32[192]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ counts) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0, most = -5;
//#CCC for reduce(+:count, max:most)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v % 7 == 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
            count += x;
        }
//#CCC if
        else if (v % 7 == 2) {
            int x = v;
            for (int j = 0; j < 6; ++j) x = x * 33 + (x >> 8) + v;
            count += x; most = max(most, x);
        }
        else if (v % 7 == 3) { ++count; }
        most = max(most, v);
    }
    counts[t] = count; out[t] = most;
}
