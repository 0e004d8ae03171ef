// Rising edges of a signal: each thread keeps the sample before, and edges are measured.
//
// RUN: ccc --block 96
// LAUNCH: edges 2 96 i32:1000 i16[2000]=rand:4 i32[2000]=0
// EXPECT: same-memory
extern "C" __global__ void edges(int n, const short *__restrict__ signal, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int chunk = 7, begin = t * chunk;
    if (begin + chunk > n) return;
    short before = 0, earlier = 0;
    //#CCC for
    for (int k = begin; k < begin + chunk; ++k) {
        short s = signal[k];
        //#CCC if
        if (s > before) {
            int x = s - before;
            for (int r = 0; r < 5; ++r) x = x * 3 - earlier;
            out[k] = x;
        }
        earlier = before;
        before = s;
    }
}
