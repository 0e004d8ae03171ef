// Lane i waits for lanes 0 to i - 1 in turn; in each turn all lanes that still wait look at the same flag.
// HANGS: O3 G
// ENDS: 1 2 4 8 16 32 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int flag[64];
    int i = threadIdx.x;
    flag[i] = 0;
    __syncthreads();
    int sum = n - 3;
    for (int j = 0; j < i; ++j) {
        int v;
        while ((v = *(volatile int *)&flag[j]) == 0) {}
        sum = (sum + v) & 0xffff;
        if (sum == 0) sum = 1;
    }
    *(volatile int *)&flag[i] = sum;
    data[blockIdx.x * 64 + i] = sum;
}
