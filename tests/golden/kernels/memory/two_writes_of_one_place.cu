// The path and what follows write the same element, the later one must win.
//
// RUN: ccc --block 96
// LAUNCH: last 2 96 i32:250 i32[250]=below:4:1 i32[250]=below:4:2 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void last(int n, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (a[i] == 2) {
            int h = i;
            for (int k = 0; k < 9; ++k) h = h * 33 + (h >> 5);
            out[i] = h;
        }
        if (b[i] > 1) out[i] = -i;
    }
}
