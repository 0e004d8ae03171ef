// The condition of the path has side effects behind a short circuit.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:6:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if ((v & 1) && (more[i] = v * 3) > 3 || (v == 4 && atomicAdd(&more[i], 2) == 0)) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s + more[i];
        }
        out[i] += 1;
    }
}
