// A marked branch that `pxrw ccc` refuses: it has a barrier, which the lanes of a warp must execute together.
extern "C" __global__ void histogram(int n, const int *__restrict__ data, int *__restrict__ bins)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = 0;
    __syncthreads();

#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int value = data[i];
#CCC if
        if (value < 256) {
            atomicAdd(&tile[value], 1);
            __syncthreads();
        }
    }
    atomicAdd(&bins[threadIdx.x], tile[threadIdx.x]);
}
