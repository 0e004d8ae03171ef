// A loop with a 64-bit index that goes up and another one that goes down in steps.
//
// RUN: ccc --block 96
// LAUNCH: wide_index_two_counters 2 96 i32:1000 i32[1000]=below:8:1 i64[1000]=0
// LAUNCH: wide_index_two_counters 1 33 i32:77 i32[1000]=below:8:2 i64[1000]=0
// EXPECT: same-memory

extern "C" __global__ void wide_index_two_counters(int n, const int *__restrict__ in, long long *__restrict__ out) {
    long long step = (long long)gridDim.x * blockDim.x;
//#CCC for
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, j = n; i < n; i += step, j -= 3) {
//#CCC if
        if (in[i] > 4) {
            long long x = j;
            for (int k = 0; k < in[i]; ++k) x = x * 1000003 + i;
            out[i] = x;
        }
    }
}
