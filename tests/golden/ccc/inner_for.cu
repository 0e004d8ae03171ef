// A loop with a variable number of steps, marked like the loop around it. Its body has a copy of its variable, so that what travels is
// one index and not the addresses that the compiler would make of it. The braces end the task before what stands behind them.
//
// RUN: ccc --block 64 --arch sm_75
// REPORT: region line 25 in loop line 21: context
// REPORT: region line 40 in loop line 38: context
// PTXAS: sm_75 sm_90
// LAUNCH: relax 2 64 i32:300 i32[300]=below:9:1 i32[300]=rand:2 i32[900]=below:300:3 i32[900]=rand:4 i32[300]=1000
// LAUNCH: relax 1 33 i32:300 i32[300]=below:40:1 i32[300]=rand:2 i32[900]=below:300:3 i32[900]=rand:4 i32[300]=1000
// LAUNCH: relax 1 1 i32:20 i32[20]=below:4:1 i32[20]=rand:2 i32[900]=below:20:3 i32[900]=rand:4 i32[20]=1000
// EXPECT: same-memory
// LAUNCH: relax 1 64 i32:3000 i32[3000]=below:99:1 i32[3000]=rand:2 i32[900]=below:300:3 i32[900]=rand:4 i32[300]=1000
// EXPECT: same-memory, efficiency rises
// LAUNCH: only 2 64 i32:400 i32[400]=below:30:1 i32[400]=0
// LAUNCH: only 3 31 i32:400 i32[400]=below:3:2 i32[400]=0
// EXPECT: same-memory

extern "C" __global__ void relax(int n, const int *degree, const int *cost, const int *edges, const int *weights, int *updated) {
    int seen = 0;
#CCC for block(64)
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        {
            int base = cost[v] & 1023;
#CCC for
            for (int e = 0; e < degree[v]; ++e) {
                int at = (v * 7 + e * 3) % 900;
                atomicMin(&updated[edges[at]], base + (weights[at] & 255));
            }
        }
        seen += v;
    }
    if (seen < 0) updated[0] = seen;
}

// Nothing but the loop in the loop, without braces.
extern "C" __global__ void only(int n, const int *count, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#CCC for
        for (int k = 0; k < count[i]; ++k)
            atomicAdd(&out[i], k * i);
}
