// A marked if in a marked if, and a marked while in it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:9:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int w = v * i;
            more[i] = w + 1;
#CCC if
            if (v > 4) {
                int s = w;
#CCC while
                while (s > 3) { s -= (s >> 1) + 1; out[i] += s; }
                more[i] += s;
            }
        }
    }
}
