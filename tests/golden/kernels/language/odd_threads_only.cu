// Only the odd threads of a block enter the marked loop, and some of them leave before it.
//
// RUN: ccc --block 96
// LAUNCH: odd_threads_only 2 96 i32:500 i32[500]=below:40:1 i32[500]=0
// EXPECT: same-memory

extern "C" __global__ void odd_threads_only(int n, const int *__restrict__ in, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t % 5 == 4) return;
    if (t & 1) {
//#CCC for
        for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
            if (in[i] > 20) {
                int h = i;
                for (int k = 0; k < in[i]; ++k) h = h * 5 + k;
                out[i] = h;
            }
        }
    } else if (t < n) {
        out[t] = -t;
    }
}
