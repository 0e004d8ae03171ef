// The rare branch leaves a mark in the thread's own cell, by which the loop ends.
//
// RUN: ccc --block 96
// REFUSED: line 15: depends on

extern "C" __global__ void found_in_memory(int n, const int *__restrict__ in, int *found, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 36) {
            out[i] = i;
            found[t] = 1;
        }
        if (found[t]) break;
    }
}
