// The three spellings of a directive mean the same.
//
// RUN: ccc --block 64
// REPORT-DAG: region line 16 in loop line 14: context
// REPORT-DAG: region line 24 in loop line 22: context
// PTXAS: sm_90
// LAUNCH: comments 1 64 i32:500 i32[500]=rand:1 i32[500]=0
// LAUNCH: pragmas 1 64 i32:500 i32[500]=rand:1 i32[500]=0
// EXPECT: same-memory, efficiency rises

__device__ int work(int x) { for (int k = 0; k < 20; ++k) x = x * 3 + k; return x; }
extern "C" __global__ void comments(int n, const int *key, int *out) {
    //#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        //#CCC if
        if ((key[i] & 7) == 0) out[i] = work(i);
    }
}

extern "C" __global__ void pragmas(int n, const int *key, int *out) {
#pragma CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#pragma CCC if
        if ((key[i] & 7) == 0) out[i] = work(i);
    }
}
