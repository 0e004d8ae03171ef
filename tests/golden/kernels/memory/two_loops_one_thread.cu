// A second loop of the same thread reads what the marked loop wrote for its own items; no barrier is needed for that in the original.
//
// RUN: ccc --block 96
// LAUNCH: twice 2 96 i32:250 i32[250]=below:4:1 i32[250]=7 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void twice(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i] = h;
        }
    }
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] * 2;
}
