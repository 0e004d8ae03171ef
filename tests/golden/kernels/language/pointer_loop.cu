// The marked loop runs over pointers instead of indices.
//
// RUN: ccc --block 96
// LAUNCH: pointer_loop 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: pointer_loop 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void pointer_loop(int n, const int *__restrict__ in, int *__restrict__ out) {
    int step = gridDim.x * blockDim.x;
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int *q = out + start;
//#CCC for
    for (const int *p = in + start, *end = in + n; p < end; p += step, q += step) {
//#CCC if
        if (*p % 4 == 1) {
            int h = 0;
            for (const int *r = p; r >= in && r > p - 5; --r) h = h * 7 + *r;
            *q = h;
        }
    }
}
