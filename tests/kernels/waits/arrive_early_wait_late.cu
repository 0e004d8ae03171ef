// A split barrier by hand: all lanes arrive, do some work of their own, and wait for all arrivals only before they read.
// ENDS: 64 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int arrived, total;
    if (threadIdx.x == 0) { arrived = 0; total = 0; }
    __syncthreads();
    atomicAdd(&total, n - 3);
    __threadfence_block();
    atomicAdd(&arrived, 1);
    int x = threadIdx.x;
    for (int j = 0; j < x; ++j) x -= j & 1;
    if (x < 1000) while (atomicAdd(&arrived, 0) < 64) {}
    data[blockIdx.x * 64 + threadIdx.x] = atomicAdd(&total, 0);
}
