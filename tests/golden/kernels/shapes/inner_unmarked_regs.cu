// The marked if lies in an unmarked inner loop of different lengths, with a break behind it and values from both loops.
//
// RUN: ccc --block 96
// REFUSED: line 10: the marked path is in a loop inside the marked loop
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i]; int c = i;
        for (int j = 0; j < v; ++j) {
            c = c * 5 + j;
#CCC if
            if (c % 3 == 1) {
                int s = c;
                for (int l = 0; l < (j & 7); ++l) s = s * 3 + l;
                out[i * 10 + j] = s;
            }
            if (c % 11 == 7) break;
            c ^= j;
        }
        more[i] = c;
    }
}
