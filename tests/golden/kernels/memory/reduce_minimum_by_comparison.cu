// Smallest and largest numbers by comparison and assignment, of floats and unsigned numbers.
//
// RUN: ccc --block 96
// REFUSED: line 15: register `%f18`, which the marked path hands on, is no reduction: `setp.lt.f32` takes it for something else than `min`
extern "C" __global__ void folds(int n, const float *__restrict__ k, const unsigned *__restrict__ u, float *__restrict__ out, unsigned *__restrict__ most) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float least = 0.9f; unsigned largest = 7;
//#CCC for reduce(min:least, max:largest)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        float v = k[i];
//#CCC if
        if (v > 0.3f) {
            float x = v;
            for (int j = 0; j < 5; ++j) x = x * 0.7f + v;
            if (x < least) least = x;
            unsigned w = u[i] * 77u;
            if (w > largest) largest = w;
        }
    }
    out[t] = least; most[t] = largest;
}
