// An inner marked for (promised independent) in which a number is not linear in the counter.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
            unsigned q = v;
#CCC for
            for (int j = 0; j < v; ++j) {
                atomicAdd(&out[i], q + j);
                q = q * 3 + 1;
            }
        }
    }
}
