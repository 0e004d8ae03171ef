// The thread's slot in shared memory is volatile, and is used by the path as a temporary that no compiler removes.
//
// RUN: ccc --block 96
// REFUSED: line 70: the store to `slot` at line 11 of the marked path may meet the load of `slot`
extern "C" __global__ void slots(int n, const int *__restrict__ k, int *__restrict__ out) {
    __shared__ volatile int slot[96];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            slot[threadIdx.x] = i;
            for (int j = 0; j < 9; ++j) slot[threadIdx.x] = slot[threadIdx.x] * 33 + j;
            out[i] = slot[threadIdx.x];
        }
    }
}
