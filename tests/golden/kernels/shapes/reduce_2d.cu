// Accumulators in blocks of 13 by 5 threads.
//
// RUN: ccc --block 65
// LAUNCH: k 2 13,5 i32:500 i32[500]=below:40:1 i64[130]=0 i64[130]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, long long* __restrict__ out, long long* __restrict__ more) {
    long long s = 3; unsigned m = 0; int t = (blockIdx.x * 5 + threadIdx.y) * 13 + threadIdx.x;
#CCC for reduce(+:s, max:m)
    for (int i = t; i < n; i += 130) {
        int v = kind[i];
#CCC if
        if (v & 1) { s += (long long)v * threadIdx.y << 20; m = max(m, v * 7 + threadIdx.x); }
        s += threadIdx.x;
    }
    out[t] = s; more[t] = m;
}
