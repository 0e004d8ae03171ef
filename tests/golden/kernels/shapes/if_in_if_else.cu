// Marked paths in both branches of an unmarked if, in a switch, and a marked else-if chain within.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: k 2 96 i32:450 i32[450]=below:12:1 i32[450]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
    int c = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v < 6) {
            c += v;
#CCC if
            if (v & 1) { int s = c; for (int l = 0; l < (i & 7); ++l) s = s * 3 + l; out[i] = s; }
            c *= 3;
        } else {
#CCC if
            if (v == 7) { int s = c; for (int l = 0; l < (i & 7); ++l) s = s * 5 + l; out[i] = s; }
            else {
                switch (v) {
#CCC case
                    case 8: { out[i] = c * 2 + i; break; }
                    case 9: c -= 5; break;
#CCC case
                    case 10: { out[i] = c * i; break; }
                    default: out[i] = 3;
                }
            }
            c ^= i;
        }
    }
    more[blockIdx.x * blockDim.x + threadIdx.x] = c;
}
