// The branch writes by a pointer counted from the end of an array, the rest reads from its start.
//
// RUN: ccc --block 96
// LAUNCH: pointer_by_subtraction 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0
// LAUNCH: pointer_by_subtraction 1 33 i32:1000 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void pointer_by_subtraction(int n, const int *__restrict__ in, int *a, int *__restrict__ out) {
    int *end = a + n;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        size_t back = size_t(n - i);
//#CCC if
        if (v > 25) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            *(end - back) = h;
        }
        out[i] = a[i] + 1;
    }
}
