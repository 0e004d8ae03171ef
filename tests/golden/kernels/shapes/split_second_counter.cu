// An inner marked for with a second counter, a pointer and a float that go along.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 i32[25000]=iota
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, const int* __restrict__ a) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
            const int* p = a + i * 100; int q = v;
#CCC for
            for (int j = 0; j < v; ++j) {
                atomicAdd(&out[i], *p * q + j);
                p += 1; q += 3;
            }
        }
    }
}
