// The same with the option by which nothing may be assumed.
//
// RUN: ccc --block 96 --strict
// REFUSED: line 14: may meet, by all that is known
extern "C" __global__ void relax(int n, const float *a, float *b, float *c) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = a[i];
        //#CCC if
        if (x > 0.75f) {
            for (int k = 0; k < 9; ++k) x = sqrtf(x) * 0.99f;
            b[i] = x;
        }
        c[i] = a[i] + 2.0f;
    }
}
