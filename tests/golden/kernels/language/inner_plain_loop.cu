// The marked branch lies in an unmarked loop inside the marked one.
//
// RUN: ccc --block 96
// LAUNCH: inner_plain_loop 2 96 i32:200 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: inner_plain_loop 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void inner_plain_loop(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        for (int k = 0; k < 5; ++k) {
//#CCC if
            if (in[i * 5 + k] > 33) {
                int h = k;
                for (int j = 0; j < in[i * 5 + k]; ++j) h = h * 5 + j;
                out[i * 5 + k] = h;
            }
        }
    }
}
