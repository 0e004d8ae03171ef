// Statistics of a column: product, and, or, xor, smallest and largest of the rows that are wanted.
//
// RUN: ccc --block 96
// LAUNCH: statistics 2 96 i32:1000 i64[1000]=rand:14 i64[192]=0 i64[192]=0 u32[192]=0 u32[192]=0 u32[192]=0 f64[192]=0 f32[192]=0
// EXPECT: same-memory
extern "C" __global__ void statistics(int n, const long long *__restrict__ in, long long *a, long long *b, unsigned *c, unsigned *d, unsigned *e, double *f, float *g) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 192) return;
    long long product = 1, least = 1ll << 62;
    unsigned all = ~0u, any = 0, parity = 5;
    double most = -1e300;
    float low = 3.0f;
    //#CCC for reduce(*:product, min:least, &:all, |:any, ^:parity, max:most, min:low)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        long long v = in[i];
        //#CCC if
        if ((v & 3) == 0) {
            product *= v | 1;
            least = min(least, v);
            all &= (unsigned)(v >> 8);
            any |= (unsigned)v;
            parity ^= (unsigned)(v >> 16);
            most = fmax(most, (double)v * 0.5);
            low = fminf(low, (float)(v >> 40));
        }
    }
    a[t] = product; b[t] = least; c[t] = all; d[t] = any; e[t] = parity; f[t] = most; g[t] = low;
}
