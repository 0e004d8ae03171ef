// Shared memory as a union: the path writes doubles, the rest reads the words of the same place.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:5:1 i32[250]=0
// EXPECT: same-memory
union U { double d; int w[2]; };
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ U u[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) u[i].d = i;
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            u[i].d = i * 7.5 + v;
        }
        out[i] = u[i].w[1] * 3;
    }
}
