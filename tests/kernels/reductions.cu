// Reductions of all sorts. Sums of floats are added up in a fixed order, so that they are known to the last bit.
typedef unsigned long long u64;
typedef unsigned int u32;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_shuffle(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
}

extern "C" __global__ void reduce_down(const double* in, double* out, int n) {
  __shared__ double part[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double v = i < n ? in[i] : 0.0;
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t >= 32) return;
  v = t < blockDim.x / 32 ? part[t] : 0.0;
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
  if (t == 0) out[blockIdx.x] = v;
}

extern "C" __global__ void reduce_atomic(const u32* in, u32* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(out, in[i]);
    atomicMax(out + 1, in[i]);
    atomicMin(out + 2, in[i]);
    atomicXor(out + 3, in[i]);
    atomicOr(out + 4, in[i]);
    atomicAnd(out + 5, in[i]);
  }
}

extern "C" __global__ void arg_min(const u32* in, u64* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMin(best, (u64)in[i] << 32 | (u32)i);
}

extern "C" __global__ void count_ballot(const int* in, u32* out, int limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 votes = __ballot_sync(~0u, i < n && in[i] < limit);
  bool all = __all_sync(~0u, i < n && in[i] < limit), any = __any_sync(~0u, i < n && in[i] < limit);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out, __popc(votes));
    atomicAdd(out + 1, all);
    atomicAdd(out + 2, any);
  }
}

extern "C" __global__ void reduce_redux(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = __reduce_add_sync(~0u, in[i]), least = __reduce_min_sync(~0u, in[i]);
  u32 bits = __reduce_xor_sync(~0u, (u32)in[i]);
  if (threadIdx.x % 32 == 0) {
    out[3 * (i / 32)] = sum;
    out[3 * (i / 32) + 1] = least;
    out[3 * (i / 32) + 2] = (int)bits;
  }
}

// Each half of a warp by itself, with a mask of its own.
extern "C" __global__ void reduce_halves(const int* in, int* out) {
  int i = threadIdx.x;
  u32 mask = i % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
  int v = in[i];
  if (i % 32 < 16) {
    for (int step = 8; step > 0; step /= 2) v += __shfl_xor_sync(mask, v, step, 16);
  } else {
    for (int step = 8; step > 0; step /= 2) v = max(v, __shfl_xor_sync(mask, v, step, 16));
  }
  out[i] = v;
}

extern "C" __global__ void groups(const int* keys, u32* leaders, u32* sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 same = __match_any_sync(~0u, keys[i]);
  int all;
  u32 whole = __match_all_sync(~0u, keys[i], &all);
  leaders[i] = __ffs(same) - 1;
  sizes[i] = __popc(same) + (all ? 100 + __popc(whole) : 0);
}

// The block that comes last adds up what the others left (the guide's example of a memory fence).
extern "C" __global__ void last_block(const u32* in, u32* partial, u32* count, u32* out, int n) {
  __shared__ u32 sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    ((volatile u32*)partial)[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    u32 total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += ((volatile u32*)partial)[b];
    *out = total;
    *count = 0;
  }
}

extern "C" __global__ void barrier_votes(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int how_many = __syncthreads_count(in[i] > 0), all = __syncthreads_and(in[i] > 0), any = __syncthreads_or(in[i] > 0);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = how_many;
    out[3 * blockIdx.x + 1] = all != 0;
    out[3 * blockIdx.x + 2] = any != 0;
  }
}
