// An inner marked for that counts down, unsigned, by three.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 u32:4294967295
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, unsigned top) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC for
        for (unsigned j = top - v; j > top - 3 * v - 5; j -= 3) {
            atomicAdd(&out[i], (int)j * 7);
        }
    }
}
