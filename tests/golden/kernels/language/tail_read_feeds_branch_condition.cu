// What is read behind the rare branch decides whether another rare branch of the same iteration is taken.
//
// RUN: ccc --block 96
// REFUSED: line 16: depends on

extern "C" __global__ void tail_read_feeds_branch_condition(int n, const int *__restrict__ in, int *mid, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 20) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            mid[i] = h;
        }
//#CCC if
        if (mid[i] & 1) {
            int h = i;
            for (int k = 0; k < 9; ++k) h = h * 69621 + k;
            out[i] = h;
        }
    }
}
