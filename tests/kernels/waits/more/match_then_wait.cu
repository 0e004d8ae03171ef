// Lanes with equal numbers find each other by match; in each group all but the leader wait for the leader's result.
// HANGS: O3 G
// ENDS: 0 1 2 3 0 1 2 3
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int result[64];
    int i = threadIdx.x, key = i % n;
    result[i] = -1;
    __syncthreads();
    unsigned group = __match_any_sync(0xffffffffu, key);
    int leader = (i & 32) + __ffs(group) - 1;
    if (i == leader) result[i] = key;
    else while (result[leader] < 0) {}
    data[blockIdx.x * 64 + i] = result[leader];
}
