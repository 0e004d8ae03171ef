// C = alpha A B + beta C in the style of Volkov and Demmel: matrices by columns, 64 by 16 elements of C for a block of 16 by 4 threads, a row of 16
// sums in the registers of each thread, and only B in shared memory. Rows of A are a multiple of 64, the other sizes multiples of 16.

extern "C" __global__ void sgemm(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int depth, float alpha, float beta)
{
    __shared__ float tile[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = 64 * blockIdx.x + 16 * y + x;
    a += row;
    b += x + (16 * blockIdx.y + y) * ldb;
    c += row + 16 * blockIdx.y * ldc;
    float sums[16] = {};
    for (int done = 0; done < depth; done += 16) {
#pragma unroll
        for (int i = 0; i < 16; i += 4) tile[x][y + i] = b[i * ldb];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float element = a[i * lda];
#pragma unroll
            for (int j = 0; j < 16; ++j) sums[j] += element * tile[i][j];
        }
        a += 16 * lda;
        b += 16;
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 16; ++j) c[j * ldc] = alpha * sums[j] + beta * c[j * ldc];
}
