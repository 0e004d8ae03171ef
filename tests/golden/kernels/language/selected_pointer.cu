// The branch writes through a pointer that is one of two parameters; the rest reads one of them.
//
// RUN: ccc --block 96
// LAUNCH: selected_pointer 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0 i32[1000]=0
// LAUNCH: selected_pointer 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void selected_pointer(int n, const int *__restrict__ in, int *a, int *b, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        int *to = v & 1 ? a : b;
//#CCC if
        if (v > 25) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            to[i] = h;
        }
        out[i] = a[i] * 3;
    }
}
