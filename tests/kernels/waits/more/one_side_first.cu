// The lower half of a warp sets a flag in one side of a branch, the upper half waits for it in the other.
// HANGS: O3 G
// ENDS: 16 16
extern "C" __global__ void k(int *data, int n) {
    __shared__ int count, seen;
    if (threadIdx.x == 0) { count = 0; seen = 0; }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x < 4 * n) {
            atomicAdd(&count, 1);
        } else {
            while (atomicAdd(&count, 0) < 16) {}
            atomicAdd(&seen, 1);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) data[blockIdx.x] = seen;
}
