// Monte Carlo estimate of pi: darts inside of the circle are counted, and their distances folded.
//
// RUN: ccc --block 96
// LAUNCH: darts 2 96 i32:1000 i32[288]=0 u64[288]=0 u32[288]=0
// EXPECT: same-memory
__device__ unsigned int scramble(unsigned int x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}
extern "C" __global__ void darts(int n, int *hits, unsigned long long *total, unsigned int *nearest) {
    int count = 0;
    unsigned long long sum = 0;
    unsigned int least = 0xffffffffu;
    //#CCC for reduce(+:count, +:sum, min:least)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int r = scramble(i);
        unsigned int x = r & 0xffff, y = r >> 16;
        unsigned long long d = (unsigned long long)x * x + (unsigned long long)y * y;
        //#CCC if
        if (d >= 0x40000000ull && d < 0xffffffffull) {
            count += 1;
            sum += d;
            least = min(least, scramble((unsigned int)d));
        }
    }
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    hits[t] = count; total[t] = sum; nearest[t] = least;
}
