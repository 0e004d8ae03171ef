// A matrix with rows and columns exchanged: tiles of 32 by 32 in shared memory, with a column more so that lanes of a column are in different banks; 32 by 8
// threads. Sizes are multiples of 32.

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = 32 * blockIdx.x + threadIdx.x, y = 32 * blockIdx.y + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    __syncthreads();
    x = 32 * blockIdx.y + threadIdx.x;
    y = 32 * blockIdx.x + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
