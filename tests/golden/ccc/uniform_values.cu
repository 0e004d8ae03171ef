// Which values need not travel: those that are the same in all lanes and iterations. One that is the same in all lanes but changes
// from round to round must, because contexts of different rounds run together.
//
// RUN: ccc --block 64
// REPORT: kernel rounds
// REPORT: b32 4 bytes: changes from iteration to iteration
// REPORT: kept
// PTXAS: sm_90
// LAUNCH: rounds 2 64 i32:64 i32[8192]=rand:1 i32[8192]=0
// LAUNCH: rounds 1 33 i32:64 i32[8192]=rand:2 i32[8192]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void rounds(int n, const int *key, int *out) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int factor = n * n + 7;
    int level = 1;
#CCC for
    for (int round = 0; round < n; ++round) {
        level = level * 5 + round;
#CCC if
        if ((key[round * threads + thread] & 7) == 0) {
            int x = level;
            for (int k = 0; k < 20; ++k) x = x * factor + k;
            out[round * threads + thread] = x;
        }
    }
}
