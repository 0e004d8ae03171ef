// Lanes elect a leader by compare and swap; the losers wait for what the leader publishes.
// HANGS: O3 G
// ENDS: 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int leader, result, heard;
    if (threadIdx.x == 0) { leader = -1; result = 0; heard = 0; }
    __syncthreads();
    if (atomicCAS(&leader, -1, (int)threadIdx.x) == -1) {
        atomicExch(&result, n);
        atomicAdd(&heard, 1);
    } else {
        int r;
        while ((r = atomicCAS(&result, 0, 0)) == 0) {}
        if (r == n) atomicAdd(&heard, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) data[blockIdx.x] = heard;
}
