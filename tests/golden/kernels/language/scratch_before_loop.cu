// A thread prepares a table in local memory before the loop, and a rare branch reads it.
//
// RUN: ccc --block 96
// REFUSED: line 14: the marked path uses local memory, which another lane cannot reach

extern "C" __global__ void scratch_before_loop(int n, const int *__restrict__ in, int *__restrict__ out) {
    int table[16];
    for (int k = 0; k < 16; ++k) table[(k + threadIdx.x) & 15] = k * 100 + threadIdx.x;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 5) {
            int s = 0;
            for (int k = 0; k < in[i]; ++k) s = s * 3 + table[(s + k) & 15];
            out[i] = s;
        }
    }
}
