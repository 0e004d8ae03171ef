// A first loop of the same thread prepares what the path of the marked one reads for its own items, without a barrier.
//
// RUN: ccc --block 96
// LAUNCH: prepared 2 96 i32:250 i32[250]=below:4:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void prepared(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = k[i] * 100 + i;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = a[i];
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
