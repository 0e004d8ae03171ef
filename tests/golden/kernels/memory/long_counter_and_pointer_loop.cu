// The loop runs over pointers, with a 64-bit second counter that the path uses.
//
// RUN: ccc --block 96
// LAUNCH: pointers 2 96 i64:250 i32[250]=below:4:1 i64[250]=0
// EXPECT: same-memory
extern "C" __global__ void pointers(long long n, const int *__restrict__ k, long long *__restrict__ out) {
    long long round = 0;
//#CCC for
    for (const int *p = k + blockIdx.x * blockDim.x + threadIdx.x; p < k + n; p += gridDim.x * blockDim.x, ++round) {
//#CCC if
        if (*p == 3) {
            long long h = round + 1;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[p - k] = h;
        }
    }
}
