// Lanes agree on a number for each round by compare and swap, and wait until all have voted before they go on.
// ENDS: 264 264
extern "C" __global__ void k(int *data, int n) {
    __shared__ int choice[8], votes[8], sum;
    int i = threadIdx.x;
    if (i < 8) { choice[i] = 0; votes[i] = 0; }
    if (i == 0) sum = 0;
    __syncthreads();
    for (int r = 0; r < n; ++r) {
        atomicCAS(&choice[r], 0, i + 1);
        atomicAdd(&votes[r], 1);
        if (r > 0 && i % 2) while (atomicAdd(&votes[r - 1], 0) != 64) {}
        if (i % 2 == 0) while (atomicAdd(&votes[r], 0) != 64) {}
        if (atomicAdd(&choice[r], 0) == i + 1) atomicAdd(&sum, 2);
        atomicAdd(&sum, 1);
    }
    __syncthreads();
    if (i == 0) data[blockIdx.x] = sum;
}
