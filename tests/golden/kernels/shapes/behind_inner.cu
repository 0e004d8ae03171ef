// Behind the inner marked loop, its block goes on with the counter's last value.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        more[i] = -1;
        if (v & 1) {
            int j;
#CCC for
            for (j = v & 3; j < v; j += 4) {
                out[i] = out[i] * 3 + j;
            }
            more[i] = j + out[i];
        }
        more[i] += 5;
    }
}
