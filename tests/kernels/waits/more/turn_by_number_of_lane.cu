// Lanes of a warp speak in the order of a permutation: who is next is looked up in shared memory.
// HANGS: O3 G
// ENDS: 0 11 22 1 12 23
extern "C" __global__ void k(int *data, int n) {
    __shared__ int order[32], turn[2];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (threadIdx.x < 32) order[(lane * 3) % 32] = lane;
    if (lane == 0) turn[w] = 0;
    __syncthreads();
    int at;
    do at = atomicAdd(&turn[w], 0); while (order[at & 31] != lane);
    data[(blockIdx.x * 2 + w) * 32 + at] = lane + n - 4;
    __threadfence();
    atomicAdd(&turn[w], 1);
}
