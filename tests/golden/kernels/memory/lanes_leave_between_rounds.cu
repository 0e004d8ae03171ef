// Threads leave the kernel between rounds of an outer loop, so that later rounds of the marked loop have ever fewer lanes.
//
// RUN: ccc --block 96
// LAUNCH: rounds 2 96 i32:300 i32[1200]=below:9:1 i32[1200]=0
// EXPECT: same-memory
extern "C" __global__ void rounds(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 4; ++round) {
        if (k[round * 300 + t] == 5) return;
//#CCC for
        for (int i = t; i < n; i += gridDim.x * blockDim.x) {
            int at = round * 300 + i;
//#CCC if
            if (k[at] > 6) {
                int x = k[at];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[at] = x;
            }
        }
    }
}
