// A thread keeps the element of an iteration in its slot of shared memory, and the rare branch reads it there.
//
// RUN: ccc --block 96
// REFUSED: line 11: may meet the store to `slot`

extern "C" __global__ void shared_scratch_reused(int n, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int slot[96][2];
    volatile int *mine = slot[threadIdx.x];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine[0] = in[i] * 3;
        mine[1] = i;
//#CCC if
        if (in[i] > 30) {
            int h = 0;
            for (int k = 0; k < 5; ++k) h = h * 7 + mine[k & 1];
            out[i] = h;
        }
    }
}
