// Losses of a book: each row counts, and the large ones are counted again inside of the branch.
//
// RUN: ccc --block 96
// LAUNCH: losses 2 96 i32:1000 i32[1000]=rand:6 i64[288]=0 i32[288]=0
// EXPECT: same-memory
extern "C" __global__ void losses(int n, const int *__restrict__ in, long long *__restrict__ out, int *__restrict__ rows) {
    long long sum = 0;
    int seen = 0;
    //#CCC for reduce(+:sum, +:seen)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        sum += v;
        ++seen;
        //#CCC if
        if (v < -1000000000) {
            long long w = v;
            for (int k = 0; k < 4; ++k) { w = w * 3 / 2; sum -= w; }
            if (w & 1) seen += 10;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    rows[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}
