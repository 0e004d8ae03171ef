// The flag is a float that grows by atomicAdd; a lane waits until it is above its own number.
// HANGS: O3 G
// ENDS: 0 1 2 3
extern "C" __global__ void k(int *data, int n) {
    __shared__ float level;
    int i = threadIdx.x;
    if (i == 0) level = 0;
    __syncthreads();
    float f = i + 0.5f * (n - 4);
    while (atomicAdd(&level, 0.0f) < f) {}
    data[blockIdx.x * 64 + i] = (int)f;
    atomicAdd(&level, 1.0f);
}
