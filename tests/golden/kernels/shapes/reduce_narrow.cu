// Sums of 8 and 16 bits that wrap around, and one in a bool.
//
// RUN: ccc --block 96
// REFUSED: line 9: register `%rs38`, which the marked path hands on, is no reduction: it has 16 bits, not 32 or 64
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    unsigned char c = 3; short h = 7; bool b = false;
#CCC for reduce(+:c,h, |:b)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { c += v; h += v * 300; b |= v == 77; }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = c + 1000 * h + b;
}
