// Steps of an iteration of Newton in double, with a float, a byte, a flag and a 64-bit counter as state, and what follows in the block.
//
// RUN: ccc --block 96
// LAUNCH: newton 2 96 i32:250 f64[250]=rand:1 i64[250]=0 f64[250]=0 u8[250]=0
// EXPECT: same-memory
extern "C" __global__ void newton(int n, const double *__restrict__ a, long long *__restrict__ steps, double *__restrict__ root, unsigned char *__restrict__ how) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v = a[i] * 1000 + 1e-3, x = 1;
        float error = 1; unsigned char kind = i; bool odd = false; long long count = 0;
//#CCC while
        while (error > 1e-5f) {
            double y = 0.5 * (x + v / x);
            error = (float)fabs(y * y - v);
            odd = !odd; kind = kind * 3 + odd; ++count; x = y;
            if (count > 40) break;
        }
        steps[i] = count; root[i] = x; how[i] = odd ? kind : 255 - kind;
    }
}
