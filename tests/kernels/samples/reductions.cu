// Sums of blocks, warps and grids, and scans, in the ways that samples show them. All kernels of this folder have the same parameters: numbers, results,
// words that begin as 0, and how many numbers there are.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
#define FULL 0xffffffffu

static __device__ int mine(const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  return i < n ? in[i] : 0;
}

KERNEL(reduce_tree) {
  __shared__ int words[1024];
  int t = threadIdx.x;
  words[t] = mine(in, n);
  __syncthreads();
  for (int size = blockDim.x; size > 1;) {
    int half = (size + 1) / 2;
    if (t + half < size) words[t] += words[t + half];
    size = half;
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = words[0];
}

KERNEL(reduce_interleaved) {
  __shared__ int words[1024];
  int t = threadIdx.x;
  words[t] = mine(in, n);
  for (int step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    if (t % (2 * step) == 0 && t + step < blockDim.x) words[t] += words[t + step];
  }
  if (t == 0) out[blockIdx.x] = words[0];
}

static __device__ int warp_sum(int v) {
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(FULL, v, by);
  return v;
}

KERNEL(reduce_shuffle) {
  __shared__ int sums[32];
  int sum = warp_sum(mine(in, n));
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

// The last steps are done by one warp without barriers of the block.
KERNEL(reduce_warp_synchronous) {
  __shared__ int words[256];
  int t = threadIdx.x;
  words[t] = mine(in, n);
  __syncthreads();
  for (int step = blockDim.x / 2; step >= 32; step /= 2) {
    if (t < step) words[t] += words[t + step];
    __syncthreads();
  }
  if (t < 32) {
    for (int step = 16; step > 0; step /= 2) {
      int sum = words[t] + (t < step ? words[t + step] : 0);
      __syncwarp();
      words[t] = sum;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = words[0];
  }
}

KERNEL(reduce_redux) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned active = __ballot_sync(FULL, true);
  int part = __reduce_add_sync(active, mine(in, n));
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, part);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// The block that comes last adds up what the others left.
KERNEL(reduce_last_block) {
  __shared__ int words[256];
  __shared__ bool last;
  int t = threadIdx.x;
  words[t] = mine(in, n);
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) words[t] += words[t + step];
    __syncthreads();
  }
  if (t == 0) {
    ((volatile int*)scratch)[1 + blockIdx.x] = words[0];
    __threadfence();
    last = atomicAdd(scratch, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int b = t; b < gridDim.x; b += blockDim.x) sum += ((volatile int*)scratch)[1 + b];
  words[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) words[t] += words[t + step];
    __syncthreads();
  }
  if (t == 0) out[0] = words[0];
}

// One atomic for all lanes that are here.
KERNEL(reduce_aggregated) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] & 1) {
    unsigned active = __activemask();
    int count = __popc(active), before = __popc(active & ((1u << threadIdx.x % 32) - 1));
    if (before == 0) atomicAdd(out, count);
  }
}

KERNEL(reduce_grid_stride) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

KERNEL(reduce_extremes) {
  __shared__ int least[256], most[256];
  int t = threadIdx.x;
  least[t] = most[t] = mine(in, n);
  for (int size = blockDim.x; size > 1;) {
    __syncthreads();
    int half = (size + 1) / 2;
    if (t + half < size) {
      least[t] = min(least[t], least[t + half]);
      most[t] = max(most[t], most[t + half]);
    }
    size = half;
  }
  if (t == 0) {
    out[2 * blockIdx.x] = least[0];
    out[2 * blockIdx.x + 1] = most[0];
  }
}

KERNEL(reduce_predicates) {
  int v = mine(in, n);
  int odd = __syncthreads_count(v & 1);
  int all = __syncthreads_and(v >= 0);
  int any = __syncthreads_or(v % 7 == 0);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = odd;
    out[3 * blockIdx.x + 1] = all != 0;
    out[3 * blockIdx.x + 2] = any != 0;
  }
}

// How many different values a warp has.
KERNEL(reduce_distinct) {
  int lane = threadIdx.x % 32;
  unsigned active = __ballot_sync(FULL, true);
  unsigned same = __match_any_sync(active, mine(in, n) & 7);
  unsigned leaders = __ballot_sync(active, __ffs(same) - 1 == lane);
  out[blockIdx.x * blockDim.x + threadIdx.x] = __popc(leaders);
}

KERNEL(scan_hillis) {
  __shared__ int words[2][512];
  int t = threadIdx.x, from = 0;
  words[0][t] = mine(in, n);
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    words[1 - from][t] = words[from][t] + (t >= step ? words[from][t - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = words[from][t];
}

// Exclusive; the block is a power of two.
KERNEL(scan_blelloch) {
  __shared__ int words[512];
  int t = threadIdx.x, size = blockDim.x;
  words[t] = mine(in, n);
  for (int step = 1; step < size; step *= 2) {
    __syncthreads();
    int at = (t + 1) * 2 * step - 1;
    if (at < size) words[at] += words[at - step];
  }
  __syncthreads();
  if (t == 0) words[size - 1] = 0;
  for (int step = size / 2; step > 0; step /= 2) {
    __syncthreads();
    int at = (t + 1) * 2 * step - 1;
    if (at < size) {
      int left = words[at - step];
      words[at - step] = words[at];
      words[at] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * size + t] = words[t];
}

static __device__ int warp_scan(int v) {
  int lane = threadIdx.x % 32;
  for (int by = 1; by < 32; by *= 2) {
    int other = __shfl_up_sync(FULL, v, by);
    if (lane >= by) v += other;
  }
  return v;
}

KERNEL(scan_warp) { out[blockIdx.x * blockDim.x + threadIdx.x] = warp_scan(mine(in, n)); }

static __device__ int block_scan(int v, int* sums) {
  int warp = threadIdx.x / 32;
  v = warp_scan(v);
  if (threadIdx.x % 32 == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int sum = warp_scan(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
    __syncwarp();
    sums[threadIdx.x] = sum;
  }
  __syncthreads();
  return v + (warp > 0 ? sums[warp - 1] : 0);
}

KERNEL(scan_block) {
  __shared__ int sums[32];
  out[blockIdx.x * blockDim.x + threadIdx.x] = block_scan(mine(in, n), sums);
}

// Decoupled look-back: one thread of each block asks the blocks before it, which may know their own sum only, or all up to theirs.
KERNEL(scan_look_back) {
  __shared__ int sums[32];
  __shared__ int tile, before;
  volatile int* state = scratch + 16;
  volatile int* own = scratch + 16 + gridDim.x;
  volatile int* all = scratch + 16 + 2 * gridDim.x;
  if (threadIdx.x == 0) tile = atomicAdd(scratch, 1);
  __syncthreads();
  int i = tile * blockDim.x + threadIdx.x;
  int sum = block_scan(i < n ? in[i] : 0, sums);
  if (threadIdx.x == blockDim.x - 1) {
    own[tile] = sum;
    __threadfence();
    state[tile] = 1;
    int so_far = 0;
    for (int ask = tile - 1; ask >= 0;) {
      int knows = state[ask];
      __threadfence();
      if (knows == 0) continue;
      so_far += knows == 2 ? all[ask] : own[ask];
      if (knows == 2) break;
      --ask;
    }
    all[tile] = so_far + sum;
    __threadfence();
    state[tile] = 2;
    before = so_far;
  }
  __syncthreads();
  if (i < n) out[i] = before + sum;
}

// The same, and a warp asks 32 blocks at once.
KERNEL(scan_look_back_warp) {
  __shared__ int sums[32];
  __shared__ int tile, before, total;
  volatile int* state = scratch + 16;
  volatile int* own = scratch + 16 + gridDim.x;
  volatile int* all = scratch + 16 + 2 * gridDim.x;
  if (threadIdx.x == 0) tile = atomicAdd(scratch, 1);
  __syncthreads();
  int i = tile * blockDim.x + threadIdx.x;
  int sum = block_scan(i < n ? in[i] : 0, sums);
  if (threadIdx.x == blockDim.x - 1) total = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    int lane = threadIdx.x;
    if (lane == 0) {
      own[tile] = total;
      __threadfence();
      state[tile] = 1;
    }
    int so_far = 0;
    for (int last = tile - 1; last >= 0; last -= 32) {
      int ask = last - lane, knows, value;
      do {
        knows = ask < 0 ? 2 : state[ask];
      } while (__any_sync(FULL, knows == 0));
      __threadfence();
      value = ask < 0 ? 0 : knows == 2 ? all[ask] : own[ask];
      unsigned whole = __ballot_sync(FULL, knows == 2);
      int stop = whole ? __ffs(whole) - 1 : 31;
      so_far += __reduce_add_sync(FULL, lane <= stop ? value : 0);
      if (whole) break;
    }
    if (lane == 0) {
      all[tile] = so_far + total;
      __threadfence();
      state[tile] = 2;
      before = so_far;
    }
  }
  __syncthreads();
  if (i < n) out[i] = before + sum;
}

// The odd numbers of each block, in order.
KERNEL(compact) {
  __shared__ int counts[32];
  int v = mine(in, n), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned odd = __ballot_sync(FULL, v & 1);
  if (lane == 0) counts[warp] = __popc(odd);
  __syncthreads();
  int at = __popc(odd & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) at += counts[w];
  if (v & 1) out[blockIdx.x * blockDim.x + at] = v;
}

// A number that 5 divides begins a new sum.
KERNEL(scan_segments) {
  __shared__ int sums[512];
  __shared__ bool heads[512];
  int t = threadIdx.x;
  sums[t] = mine(in, n);
  heads[t] = t == 0 || sums[t] % 5 == 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int sum = sums[t];
    bool head = heads[t];
    if (t >= step && !head) {
      sum += sums[t - step];
      head = heads[t - step];
    }
    __syncthreads();
    sums[t] = sum;
    heads[t] = head;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sums[t];
}
