// Conjugate gradients for a sparse, symmetric matrix. Sums of a warp are made in shared memory, in lockstep and without barriers.

// y = A x: a warp for each row.
extern "C" __global__ void multiply(int rows, const int *offsets, const int *columns, const float *values, const float *x, float *y)
{
    __shared__ volatile float sums[256];
    int thread = threadIdx.x, lane = thread & 31, row = (blockIdx.x * blockDim.x + thread) / 32;
    if (row >= rows) return;
    float sum = 0;
    int end = offsets[row + 1];
    for (int i = offsets[row] + lane; i < end; i += 32) sum += values[i] * x[columns[i]];
    sums[thread] = sum;
    if (lane < 16) sums[thread] += sums[thread + 16];
    if (lane < 8) sums[thread] += sums[thread + 8];
    if (lane < 4) sums[thread] += sums[thread + 4];
    if (lane < 2) sums[thread] += sums[thread + 2];
    if (lane < 1) sums[thread] += sums[thread + 1];
    if (lane == 0) y[row] = sums[thread];
}

// The sum of what the 256 threads of a block have.
static __device__ float total(float sum)
{
    __shared__ volatile float sums[256];
    int thread = threadIdx.x;
    sums[thread] = sum;
    __syncthreads();
    if (thread < 128) sums[thread] += sums[thread + 128];
    __syncthreads();
    if (thread < 64) sums[thread] += sums[thread + 64];
    __syncthreads();
    if (thread < 32) {
        sums[thread] += sums[thread + 32];
        sums[thread] += sums[thread + 16];
        sums[thread] += sums[thread + 8];
        sums[thread] += sums[thread + 4];
        sums[thread] += sums[thread + 2];
        sums[thread] += sums[thread + 1];
    }
    return sums[0];
}

// Products of elements, added up in each block.
extern "C" __global__ void dot(int rows, const float *one, const float *other, float *parts)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) sum += one[i] * other[i];
    sum = total(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// The sum of 256 numbers.
extern "C" __global__ void collect(const float *parts, float *sum)
{
    float all = total(parts[threadIdx.x]);
    if (threadIdx.x == 0) *sum = all;
}

// x += alpha p and r -= alpha q.
extern "C" __global__ void advance(int rows, const float *rho, const float *curvature, const float *p, const float *q, float *x, float *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float alpha = *rho / *curvature;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

// p = r + beta p.
extern "C" __global__ void turn(int rows, const float *rho, const float *before, const float *r, float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float beta = *rho / *before;
    p[i] = r[i] + beta * p[i];
}
