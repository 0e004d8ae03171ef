// An inner marked for with <= and a 64-bit counter, another with != .
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 i64:9223372036854775700
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, long long far) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
#CCC for
            for (long long j = far - v; j <= far; ++j) {
                atomicAdd(&out[i], (int)(j * 7));
            }
        }
    }
}
