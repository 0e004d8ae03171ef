// A pointer is to shared or to global memory, by lane; the rest reads both by name.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
    __shared__ int s[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) { s[i] = i; }
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
        int* p = v & 2 ? a : s;
#CCC if
        if (v & 1) {
            p[i] = i * 7;
        }
        out[i] = s[i] * 3 + a[i];
    }
}
