// The result of a float sum is halved behind the loop.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 f32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, float* __restrict__ out) {
    float s = 0;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { s += v; }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s * 0.5f;
}
