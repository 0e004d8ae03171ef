// Some twenty doubles are computed before the branch and needed by it, in blocks of 512.
//
// RUN: ccc --block 512
// REFUSED: line 11: the stack needs 83968 bytes of shared memory for CTAs of 512 threads; 49152 bytes are left
extern "C" __global__ void wide(int n, const int *__restrict__ k, const double *__restrict__ a, double *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v[20], s = 0;
        for (int j = 0; j < 20; ++j) { v[j] = a[i + j] * (j + 1); s += v[j]; }
//#CCC if
        if (k[i] > 5) {
            double h = 1;
            for (int j = 0; j < 20; ++j) h = h * v[j] + 0.5 / (v[19 - j] + 1);
            out[i] = h;
        } else out[i] = s;
    }
}
