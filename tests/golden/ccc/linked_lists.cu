// A loop that is no count: each lane follows a list of its own length, so that lanes leave the loop apart.
//
// RUN: ccc --block 64
// REPORT: region line 16 in loop line 14: context
// PTXAS: sm_90
// LAUNCH: walk 2 64 i32[128]=below:3000:1 i32[3000]=below:2950:2 i32[3000]=rand:3 i32[3000]=0
// LAUNCH: walk 1 33 i32[33]=below:3000:4 i32[3000]=below:2950:2 i32[3000]=rand:3 i32[3000]=0
// LAUNCH: walk 1 1 i32[1]=500 i32[3000]=below:2950:2 i32[3000]=0 i32[3000]=0
// EXPECT: same-memory

extern "C" __global__ void walk(const int *heads, const int *next, const int *key, int *visits) {
    int steps = 0;
#CCC for
    for (int node = heads[blockIdx.x * blockDim.x + threadIdx.x]; node >= 50 && steps < 200; ++steps) {
#CCC if
        if ((key[node] & 3) == 0) {
            int x = key[node];
            for (int k = 0; k < (x & 15); ++k) x = x * 16 + (x >> 5 & 15);
            atomicAdd(&visits[node], x + 1);
        }
        node = next[node];
    }
}
