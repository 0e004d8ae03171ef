// A path that stops the kernel where the data are broken, which they are not.
//
// RUN: ccc --block 96
// REFUSED: line 10: the marked path has `trap`, which acts on the thread that executes it
extern "C" __global__ void checked(int n, const int *__restrict__ x, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i];
//#CCC if
        if (v > 50) { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + 1; if (v > 1000) __trap(); out[i] = h; }
    }
}
