// Half of the lanes wait for the other half in divergent code, and all meet at __syncthreads behind it.
// HANGS: O3 G
// ENDS: 64 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int flag[64];
    int i = threadIdx.x;
    flag[i] = 0;
    __syncthreads();
    if (i & 1) {
        while (atomicAdd(&flag[i - 1], 0) == 0) {}
        atomicAdd(&flag[i], 1);
    } else {
        if (i > 0) while (atomicAdd(&flag[i - 1], 0) == 0) {}
        atomicAdd(&flag[i], n - 3);
    }
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 64; ++j) sum += flag[j];
    data[blockIdx.x * 64 + i] = sum;
}
