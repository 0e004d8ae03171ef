// Prefix sums, and what they are good for.
typedef unsigned int u32;

extern "C" __global__ void hillis_steele(const int* in, int* out) {
  __shared__ int rows[2][256];
  int t = threadIdx.x, from = 0;
  rows[0][t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    rows[1 - from][t] = rows[from][t] + (t >= step ? rows[from][t - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = rows[from][t];
}

extern "C" __global__ void blelloch(const int* in, int* out, int n) {
  extern __shared__ int part[];
  int t = threadIdx.x;
  part[2 * t] = in[2 * t];
  part[2 * t + 1] = in[2 * t + 1];
  int step = 1;
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) part[step * (2 * t + 2) - 1] += part[step * (2 * t + 1) - 1];
    step *= 2;
  }
  if (t == 0) part[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, kept = part[left];
      part[left] = part[right];
      part[right] += kept;
    }
  }
  __syncthreads();
  out[2 * t] = part[2 * t];
  out[2 * t + 1] = part[2 * t + 1];
}

extern "C" __global__ void warp_scan(const long long* in, long long* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  long long v = in[i];
  for (int step = 1; step < 32; step *= 2) {
    long long below = __shfl_up_sync(~0u, v, step);
    if (lane >= step) v += below;
  }
  out[i] = v;
}

// Odd numbers to the front, in their order, by one block.
extern "C" __global__ void compact(const u32* in, u32* out, u32* count, int n) {
  __shared__ u32 before[32], base;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) base = 0;
  __syncthreads();
  for (int start = 0; start < n; start += blockDim.x) {
    bool keep = start + t < n && in[start + t] % 2;
    u32 votes = __ballot_sync(~0u, keep);
    if (lane == 0) before[warp] = __popc(votes);
    __syncthreads();
    u32 place = base;
    for (int w = 0; w < warp; ++w) place += before[w];
    if (keep) out[place + __popc(votes & ((1u << lane) - 1))] = in[start + t];
    __syncthreads();
    if (t == blockDim.x - 1) base = place + __popc(votes);
    __syncthreads();
  }
  if (t == 0) *count = base;
}
