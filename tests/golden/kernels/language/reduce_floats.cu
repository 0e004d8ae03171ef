// Sums and extremes of floats and doubles that hold small whole numbers, so that their order does not matter.
//
// RUN: ccc --block 96
// LAUNCH: reduce_floats 2 96 i32:1000 i32[1000]=below:40:1 f64[768]=0
// LAUNCH: reduce_floats 1 33 i32:77 i32[1000]=below:40:2 f64[768]=0
// EXPECT: same-memory

extern "C" __global__ void reduce_floats(int n, const int *__restrict__ in, double *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, low = 1e30f;
    double total = 0, high = -1e30;
//#CCC for reduce(+:sum, min:low, +:total, max:high)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 3 == 1) {
            int h = in[i];
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k & 255;
            sum += h;
            low = fminf(low, h);
            total -= h * 2.0;
            high = fmax(high, h * 0.5);
        }
    }
    out[t * 4] = sum; out[t * 4 + 1] = low; out[t * 4 + 2] = total; out[t * 4 + 3] = high;
}
