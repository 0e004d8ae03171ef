// A path with sinf, whose slow path for large arguments has a small local array.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path uses local memory, and pxrw collects no such path, even where no other code uses that memory
extern "C" __global__ void waves(int n, const float *__restrict__ x, float *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
//#CCC if
        if (v > 0.7f) {
            out[i] = sinf(v * 1e7f) + cosf(v);
        }
    }
}
