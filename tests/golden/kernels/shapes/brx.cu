// A dense switch of ten marked and unmarked cases that the compiler makes a branch table of.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: k 2 96 i32:450 i32[450]=below:12:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i], s = i;
        switch (v) {
#CCC case
            case 0: { for (int l = 0; l < (i & 7); ++l) s = s * 3 + l; out[i] = s; break; }
            case 1: { for (int l = 0; l < (i & 15); ++l) s = s * 5 + l; out[i] = s; break; }
#CCC case
            case 2: { for (int l = 0; l < (i & 31); ++l) s = s * 7 + l; out[i] = s; break; }
            case 3: out[i] = s ^ 0x55; break;
#CCC case
            case 4:
            case 5: { for (int l = v; l < (i & 31); ++l) s = s * 9 + l; out[i] = s; break; }
            case 6: { out[i] = s / 7; break; }
            case 7: { atomicAdd(&out[i], s); break; }
            case 8: { out[i] = s % 13; break; }
            case 9: { out[i] = s << 3; break; }
#CCC case
            case 10: { for (int l = 0; l < (i & 15); ++l) s = s * 11 + out[i]; out[i] = s; break; }
        }
    }
}
