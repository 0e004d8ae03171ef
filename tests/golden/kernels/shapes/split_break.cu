// An inner marked for with a break and a continue, and one whose counter its body changes.
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
            for (int j = 0; j < v; ++j) {
                if (j == 13) continue;
                if ((j * v) % 57 == 56) break;
                atomicAdd(&out[i], v + j);
                if (j % 5 == 4) ++j;
            }
        }
    }
}
