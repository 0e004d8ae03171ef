// Each iteration fills a small array of its own and a rare branch looks values up in it.
//
// RUN: ccc --block 96
// REFUSED: line 14: the marked path uses local memory, which another lane cannot reach

extern "C" __global__ void scratch_in_body(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int tmp[8];
        for (int k = 0; k < 8; ++k) tmp[(k * 3 + in[i]) & 7] = i * k + in[i];
//#CCC if
        if (in[i] > 5) {
            int s = 0;
            for (int k = 0; k < in[i]; ++k) s += tmp[(s + k) & 7];
            out[i] = s;
        }
    }
}
