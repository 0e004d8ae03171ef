// Several accumulators of different operators and widths, some folded in both branches.
//
// RUN: ccc --block 96
// LAUNCH: reduce_many 2 96 i32:1000 i32[1000]=below:40:1 i64[1536]=0
// LAUNCH: reduce_many 1 33 i32:77 i32[1000]=below:40:2 i64[1536]=0
// EXPECT: same-memory

extern "C" __global__ void reduce_many(int n, const int *__restrict__ in, long long *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = t, least = 1000;
    unsigned bits = 0, ones = ~0u, parity = 5;
    long long product = 1, most = -1;
    unsigned long long wide = 0;
//#CCC for reduce(+:sum, min:least, |:bits, &:ones) reduce(^:parity)
//#CCC reduce(*:product, max:most, +:wide)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 3 == 1) {
            int h = in[i];
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            sum += h;
            sum -= i;
            least = min(least, h & 1023);
            bits |= 1u << (h & 31);
            ones &= ~(1u << (i & 31));
            parity ^= h;
            product *= h | 1;
            most = max(most, (long long)h * h);
            wide += (unsigned)h;
        }
    }
    long long *o = out + t * 8;
    o[0] = sum; o[1] = least; o[2] = bits; o[3] = ones;
    o[4] = parity; o[5] = product; o[6] = most; o[7] = wide;
}
