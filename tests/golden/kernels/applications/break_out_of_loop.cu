// A search that stops at the first match: the marked branch leaves the loop.
//
// RUN: ccc --block 96
// REFUSED: line 11: leaves the loop
extern "C" __global__ void search(int n, const unsigned int *__restrict__ in, int *__restrict__ at) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    //#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (in[i] % 8 == 3) {
            at[t] = i;
            break;
        }
    }
}
