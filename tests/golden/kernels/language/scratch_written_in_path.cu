// A rare branch changes an array of the iteration, which is summed up after it.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, which another lane cannot reach

extern "C" __global__ void scratch_written_in_path(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int tmp[8];
        for (int k = 0; k < 8; ++k) tmp[(k + in[i]) & 7] = k;
//#CCC if
        if (in[i] > 5) {
            for (int k = 0; k < in[i]; ++k) tmp[(k * i) & 7] += k;
        }
        int s = 0;
        for (int k = 0; k < in[i]; ++k) s = s * 3 + tmp[(s + k) & 7];
        out[i] = s;
    }
}
