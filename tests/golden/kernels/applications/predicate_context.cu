// Trades with two flags that are computed before the branch and used inside of it.
//
// RUN: ccc --block 96
// LAUNCH: trades 2 96 i32:1000 i64[1000]=rand:8 i64[1000]=0 u8[1000]=0
// EXPECT: same-memory
extern "C" __global__ void trades(int n, const long long *__restrict__ value, long long *__restrict__ out, bool *__restrict__ flag) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        long long v = value[i];
        bool buy = v > 0, large = (v & 0xff00) > 0x8000, odd = __popcll(v) & 1;
        flag[i] = buy != large;
        //#CCC if
        if ((v & 31) < 6) {
            long long r = v >> 5;
            if (buy) r = r * 3 - (large ? 7 : 1);
            else r = r / 3 + (odd ? 100 : 10);
            for (int k = 0; k < 3; ++k) r ^= r << (odd ? 3 : 5);
            out[i] = buy && !large ? -r : r;
        }
    }
}
