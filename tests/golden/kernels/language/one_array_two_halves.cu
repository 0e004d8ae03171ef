// The rare branch writes the upper half of an array whose lower half the iteration reads; both come from one parameter.
//
// RUN: ccc --block 96
// LAUNCH: one_array_two_halves 2 96 i32:500 i32[1000]=below:40:1 i32[500]=0
// LAUNCH: one_array_two_halves 1 33 i32:77 i32[1000]=below:40:2 i32[500]=0
// EXPECT: same-memory

extern "C" __global__ void one_array_two_halves(int n, int *a, int *__restrict__ out) {
    int *upper = a + n;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (a[i] > 20) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + a[i];
            upper[i] = h;
        }
        out[i] = upper[i] + a[i];
    }
}
