// A slot of shared memory per thread is written before the branch and read within it: the next iteration overwrites it.
//
// RUN: ccc --block 96
// REFUSED: line 10: the load of `mine` at line 12 of the marked path and the store to `mine` at line 10 are to one place in all iterations of a thread, and the path would run when a later iteration has come there
extern "C" __global__ void slot(int n, const int *__restrict__ pick, int *__restrict__ out) {
    __shared__ int mine[96];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
        mine[threadIdx.x] = p * 5;
//#CCC if
        if (p > 9) {
            int h = p;
            for (int j = 0; j < 9; ++j) h = h * 33 + mine[threadIdx.x];
            out[i] = h;
        }
    }
}
