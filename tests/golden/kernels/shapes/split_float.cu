// Inner marked for with a float counter.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC for
        for (float f = 0.1f; f < v; f += 0.7f) {
            atomicAdd(&out[i], __float_as_int(f) >> 3);
        }
    }
}
