// Odd threads leave the kernel before the marked loop, and later the last lane of each warp.
//
// RUN: ccc --block 96
// LAUNCH: early 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// LAUNCH: early 1 33 i32:250 i32[250]=below:4:1 i32[250]=0
// LAUNCH: early 1 1 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void early(int n, const int *__restrict__ k, int *__restrict__ out) {
    if (k[threadIdx.x] & 1) return;
    if (threadIdx.x % 32 == 31) return;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] >= 2) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
