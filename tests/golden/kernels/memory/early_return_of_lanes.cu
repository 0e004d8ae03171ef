// Threads behind the end leave the kernel before the marked loop, in the middle of a warp.
//
// RUN: ccc --block 96
// LAUNCH: early 2 96 i32:150 i32:250 i32[250]=below:4:1 i32[250]=0
// LAUNCH: early 2 96 i32:45 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void early(int active, int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= active) return;
//#CCC for
    for (int i = t; i < n; i += active) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
