// Two loop-carried pointers are exchanged in each iteration; the branch writes through one, the rest reads through the other.
//
// RUN: ccc --block 96
// LAUNCH: swap_through_pointers 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=5 i32[1000]=6 i32[1000]=0
// LAUNCH: swap_through_pointers 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=5 i32[1000]=6 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void swap_through_pointers(int n, const int *__restrict__ in, int *a, int *b, int *__restrict__ out) {
    int *x = a, *y = b;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 20) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            x[i] = h;
        }
        out[i] = a[i] - y[i];
        int *t = x; x = y; y = t;
    }
}
