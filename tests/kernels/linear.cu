// Matrices, grids and filters.
__constant__ float taps[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};

extern "C" __global__ void matmul_naive(const double* a, const double* b, double* c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum = fma(a[y * n + k], b[k * n + x], sum);
  c[y * n + x] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    ta[ty][tx] = y < n && tile + tx < n ? a[y * n + tile + tx] : 0.0f;
    tb[ty][tx] = x < n && tile + ty < n ? b[(tile + ty) * n + x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum = fmaf(ta[ty][k], tb[k][tx], sum);
    __syncthreads();
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

extern "C" __global__ void transpose(const int* in, int* out, int width, int height) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// A row for each warp.
extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = lane; k < columns; k += 32) sum = fmaf(a[row * columns + k], x[k], sum);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void spmv(const int* starts, const int* columns, const double* values, const double* x, double* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum = fma(values[k], x[columns[k]], sum);
  y[row] = sum;
}

// Five points, through shared memory with a halo.
extern "C" __global__ void stencil(const float* in, float* out, int width, int height) {
  __shared__ float tile[10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int dy = threadIdx.y; dy < 10; dy += 8)
    for (int dx = threadIdx.x; dx < 34; dx += 32) {
      int sx = min(max((int)(blockIdx.x * 32) + dx - 1, 0), width - 1), sy = min(max((int)(blockIdx.y * 8) + dy - 1, 0), height - 1);
      tile[dy][dx] = in[sy * width + sx];
    }
  __syncthreads();
  if (x >= width || y >= height) return;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  float around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
  out[y * width + x] = 0.5f * tile[ty][tx] + 0.125f * around;
}

extern "C" __global__ void convolve(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
        sum = fmaf(in[(y + dy) * width + x + dx], taps[(dy + 1) * 3 + dx + 1], sum);
  out[y * width + x] = sum;
}

extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int x = i % width, y = i / width, alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
  out[i] = alive == 3 || (alive == 2 && in[i]);
}

// The discrete Fourier transform of 256 complex numbers in shared memory; the roots of unity are given.
extern "C" __global__ void fft(const float2* in, const float2* roots, float2* out) {
  __shared__ float2 data[256];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 128) data[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    int k = t % half, low = (t / half) * 2 * half + k, high = low + half;
    float2 w = roots[k * (128 / half)], a = data[low], b = data[high];
    float2 turned = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    data[low] = make_float2(a.x + turned.x, a.y + turned.y);
    data[high] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
  }
  for (int i = t; i < 256; i += 128) out[blockIdx.x * 256 + i] = data[i];
}
