// The rare branch itself returns from the kernel.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path leaves the loop (a `break`, `return` or `goto`)

extern "C" __global__ void return_in_path(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] == 7) {
            out[i] = 1;
            return;
        }
        out[i] = 2;
    }
}
