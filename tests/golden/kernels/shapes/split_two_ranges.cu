// Inner marked for over short counters and a bound that depends on %tid.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC for
        for (short j = threadIdx.x & 15; j < (short)(v + threadIdx.x); j = j + 5) {
            atomicAdd(&out[i], j * 3 + threadIdx.x);
        }
    }
}
