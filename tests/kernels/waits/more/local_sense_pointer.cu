// A barrier of a warp whose release word is found through a pointer that changes each round.
// HANGS: O3 G
// ENDS: 32 32 32 32
extern "C" __global__ void k(int *data, int n) {
    __shared__ int words[2][8][2];
    if (threadIdx.x < 32) ((int *)words)[threadIdx.x] = 0;
    __syncthreads();
    int w = threadIdx.x / 32;
    int *p = &words[w][0][0];
    for (int r = 0; r < n; ++r) {
        if (atomicAdd(p, 1) == 31) atomicExch(p + 1, 1);
        else while (atomicAdd(p + 1, 0) == 0) {}
        p += 2;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) data[blockIdx.x * 2 + w] = words[w][n - 1][0];
}
