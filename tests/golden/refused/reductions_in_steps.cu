// Accumulators in paths that are run in steps, and in paths inside of others: what has been folded so far would have to go along.
//
// RUN: ccc --block 64
// REFUSED: line 17: the path is run in steps
// REFUSED: line 32: the path is inside the marked path of line 30
// PTXAS: sm_90
// LAUNCH: inner 1 64 i32:900 i32[900]=rand:1 i32[64]=0
// LAUNCH: inner 1 33 i32:70 i32[70]=rand:2 i32[64]=0
// EXPECT: same-memory

extern "C" __global__ void steps(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC while
        while (x & 7) { x = x / 2 + 3; sum += x; }
        out[i] = x;
    }
    out[n + threadIdx.x] = sum;
}

// The outer path is collected all the same.
extern "C" __global__ void inner(int n, const int *key, int *out) {
    int sum = 0;
#CCC for reduce(+:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC if
        if ((x & 3) == 0) {
#CCC if
            if ((x & 12) == 0) { for (int k = 0; k < (x & 31); ++k) sum += x ^ k; }
            sum += i;
        }
    }
    out[threadIdx.x] = sum;
}
