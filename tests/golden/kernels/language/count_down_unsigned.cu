// A loop over unsigned indices that counts down and ends below its first element.
//
// RUN: ccc --block 96
// LAUNCH: count_down_unsigned 2 96 i32:1000 i32[1000]=below:8:1 i32[1000]=0
// LAUNCH: count_down_unsigned 1 33 i32:77 i32[1000]=below:8:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void count_down_unsigned(int n, const int *__restrict__ in, int *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned last = t + (n - 1 - t) / stride * stride;
//#CCC for
    for (unsigned i = last; i < n; i -= stride) {
//#CCC if
        if (in[i] & 4) {
            unsigned h = i;
            for (int k = 0; k < in[i]; ++k) h ^= h << 3 ^ k;
            out[i] = h;
        }
    }
}
