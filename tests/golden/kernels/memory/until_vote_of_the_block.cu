// As before, by __syncthreads_or of a register that the marked branch does not touch.
//
// RUN: ccc --block 96
// REFUSED: line 20: the marked loop is under divergent control flow: a branch before it differs between lanes (exchanged between lanes by bar.red.or.pred)
extern "C" __global__ void relax(int n, const int *__restrict__ k, int *__restrict__ out) {
    int round = 0, more;
    do {
        more = 0;
//#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            if (k[i] > round + 1) more = 1;
//#CCC if
            if (k[i] > round) {
                int x = k[i];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[i] += x;
            }
        }
        ++round;
    } while (__syncthreads_or(more));
}
