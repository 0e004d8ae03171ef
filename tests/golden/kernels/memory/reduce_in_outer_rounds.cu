// The sum begins anew in each round of a loop around the marked one.
//
// RUN: ccc --block 96
// LAUNCH: folds 2 96 i32:300 i32[900]=below:1000:1 i32[576]=0
// EXPECT: same-memory
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int round = 0; round < 3; ++round) {
        int sum = round;
//#CCC for reduce(+:sum)
        for (int i = t; i < n; i += all) {
            int v = k[round * 300 + i];
//#CCC if
            if (v & 1) {
                int x = v;
                for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
                sum += x;
            }
        }
        out[round * all + t] = sum;
    }
}
