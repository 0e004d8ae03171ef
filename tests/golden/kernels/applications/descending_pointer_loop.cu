// A linked walk over an array from its end by pointers, in steps of the grid.
//
// RUN: ccc --block 96
// LAUNCH: backwards 2 96 i32:1000 i64[1000]=rand:23 i64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void backwards(int n, const long long *in, long long *out) {
    long long stride = (long long)gridDim.x * blockDim.x;
    const long long *p = in + n - 1 - (long long)(blockIdx.x * blockDim.x + threadIdx.x);
    long long *q = out + (p - in);
    //#CCC for
    for (; p >= in; p -= stride, q -= stride) {
        long long v = *p;
        //#CCC if independent
        if (v % 5 == 0) {
            for (int k = 0; k < 4; ++k) v = v * 3 + (v >> 7);
            *q = v;
        }
    }
}
