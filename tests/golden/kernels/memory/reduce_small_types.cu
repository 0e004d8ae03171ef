// Accumulators of 8 and 16 bits and a flag.
//
// RUN: ccc --block 96
// REFUSED: line 11: register `%rs41`, which the marked path hands on, is no reduction: it has 16 bits, not 32 or 64
extern "C" __global__ void small(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char bits = 1; short count = 0; bool any = false;
//#CCC for reduce(|:bits, +:count, |:any)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 6) {
            int x = k[i] + i;
            for (int j = 0; j < 9; ++j) x = x * 3 + j;
            bits |= 1 << (x & 7); count += x & 15; any |= (x & 64) != 0;
        }
    }
    out[t] = bits + 256 * count + (any ? 1 << 30 : 0);
}
