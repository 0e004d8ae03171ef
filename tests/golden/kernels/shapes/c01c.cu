// A sum in an inner loop of the path, with a condition before.
//
// RUN: ccc --block 96
// REFUSED: line 15: the marked path leaves the loop (a `break`, `return` or `goto`)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3; int x = 4;
#CCC for reduce(+:s, ^:x)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int w = v * 31 + i;
            x ^= w;
            if (w & 2) s -= 7;
            for (int j = 0; j < (w & 3); ++j) { s += j; }
        }
    }
    out[(blockIdx.x * blockDim.x + threadIdx.x)] = s + x;
}
