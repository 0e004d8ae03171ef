// A value is one of two constants, by a branch that lanes take differently before the loop.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0 i32:5 i32:9
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int p, int q) {
    int c, d = 0;
    if (threadIdx.x & 1) { c = p; asm volatile("// one"); } else { c = q; asm volatile("// other"); }
    for (int j = 0; j < (threadIdx.x & 7); ++j) { d += p; asm volatile("// count"); }
    int e;
    switch (threadIdx.x & 7) { case 0: e = 1; asm volatile("//a"); break; case 1: e = p; asm volatile("//b"); break; case 2: e = q; asm volatile("//c"); break; case 3: e = 9; asm volatile("//d"); break; case 5: e = q + p; asm volatile("//e"); break; default: e = 4; }
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = c;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + d * e;
            out[i] = s;
        }
    }
}
