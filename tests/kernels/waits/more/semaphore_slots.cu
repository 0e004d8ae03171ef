// A semaphore with n slots: lanes take one when the count is above zero, do something, and give it back.
// HANGS: O3 G
// ENDS: 64 64 4 4
extern "C" __global__ void k(int *data, int n) {
    __shared__ int slots, inside;
    if (threadIdx.x == 0) { slots = n; inside = 0; }
    __syncthreads();
    bool done = false;
    for (;;) {
        int s = atomicAdd(&slots, 0);
        if (s > 0 && atomicCAS(&slots, s, s - 1) == s) break;
    }
    atomicAdd(&inside, 1);
    atomicAdd(&slots, 1);
    done = true;
    __syncthreads();
    if (threadIdx.x == 0 && done) { data[blockIdx.x] = inside; data[2 + blockIdx.x] = slots; }
}
