// An inner marked for with != and a step of two, whose counter wraps around zero.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
#CCC for
            for (unsigned j = 0u - 2 * v; j != 2 * v; j += 2) {
                atomicAdd(&out[i], (int)j * 7 + 1);
            }
        }
    }
}
