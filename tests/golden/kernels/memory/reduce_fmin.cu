// Smallest and largest floats and doubles by fminf and fmax.
//
// RUN: ccc --block 96
// LAUNCH: folds 2 96 i32:900 f32[900]=rand:1 f32[192]=0 f64[192]=0
// EXPECT: same-memory
extern "C" __global__ void folds(int n, const float *__restrict__ k, float *__restrict__ out, double *__restrict__ most) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float least = 0.9f; double largest = 0.1;
//#CCC for reduce(min:least, max:largest)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        float v = k[i];
//#CCC if
        if (v > 0.3f) {
            float x = v;
            for (int j = 0; j < 5; ++j) x = x * 0.7f + v;
            least = fminf(least, x);
            largest = fmax(largest, (double)x * 1.1);
        }
    }
    out[t] = least; most[t] = largest;
}
