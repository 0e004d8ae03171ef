// Accumulators of all operators, of 32 and 64 bits, signed and unsigned, with initial values that differ by thread.
//
// RUN: ccc --block 96
// REFUSED: line 15: register `%r61`, which the marked path hands on, is no reduction: `setp.gt.s32` takes it for something else than `+`
extern "C" __global__ void folds(int n, const int *__restrict__ k, const long long *__restrict__ w, long long *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = t, least = 500 + t; unsigned product = 2 * t + 1, most = t; long long lsum = -t, both = -1 - t; unsigned long long lmost = 5, any = t, flip = t, lprod = 3;
//#CCC for reduce(+:sum, +:lsum, min:least, max:most, *:product, max:lmost, |:any, ^:flip) reduce(&:both, *:lprod)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) {
            long long x = w[i];
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
            sum += (int)x; least = min(least, v); product *= 2 * v + 1; most = max(most, (unsigned)(v * 77777777)); lsum += x; both &= x | 0xff00ff; lmost = max(lmost, (unsigned long long)x); any |= 1ull << (x & 63); flip ^= x; lprod *= (x | 1);
        }
    }
    long long *o = out + 12 * t;
    o[0] = sum; o[1] = least; o[2] = product; o[3] = most; o[4] = lsum; o[5] = both; o[6] = lmost; o[7] = any; o[8] = flip; o[9] = lprod;
}
