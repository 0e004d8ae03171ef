// Threads without work return before the loop. They are kept: parked in the loop, they help, and return when it is over.
//
// RUN: ccc --block 256
// REPORT: region line 23 in loop line 21: context
// CHECK: vote.sync.ballot
// PTXAS: sm_90
// LAUNCH: rows 1 256 i32:100 i32[3200]=rand:1 i32[100]=0
// LAUNCH: rows 4 33 i32:100 i32[3200]=rand:2 i32[100]=0
// LAUNCH: rows 1 1 i32:1 i32[32]=0 i32[1]=0
// LAUNCH: rows 1 31 i32:30 i32[3200]=rand:4 i32[100]=0
// EXPECT: same-memory
// LAUNCH: rows 1 64 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes
// LAUNCH: rows 1 64 i32:33 i32[3200]=rand:5 i32[100]=0
// EXPECT: efficiency rises

extern "C" __global__ void rows(int n, const int *cells, int *sums) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
#CCC for
    for (int cell = row * 32; cell < row * 32 + 32; ++cell) {
#CCC if
        if (cells[cell] % 8 == 0) {
            int x = cells[cell];
            for (int k = 0; k < 20; ++k) x = x * 1664525 + 1013904223;
            atomicAdd(&sums[row], x);
        }
    }
}
