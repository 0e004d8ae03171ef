// Threads that wait for each other without a library: early returns, named barriers, locks, flags.
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
#define FULL 0xffffffffu

static __device__ void sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
static __device__ void arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

// Threads beyond the end return; the barrier is for the others.
KERNEL(early_return) {
  __shared__ int words[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  words[t] = in[i];
  __syncthreads();
  int next = t + 1 < blockDim.x && i + 1 < n ? t + 1 : 0;
  out[i] = words[next] - words[t];
}

// Each round some threads return, by no rule of warps.
KERNEL(early_returns) {
  __shared__ int words[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = i < n ? in[i] : 0;
  for (int round = 1; round <= 5; ++round) {
    words[t] = v + round;
    if (t % 7 == round) {
      out[i] = v;
      return;
    }
    __syncthreads();
    v += words[blockDim.x - 1 - t];
    __syncthreads();
  }
  out[i] = v;
}

KERNEL(return_of_warps) {
  __shared__ int sum;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (warp % 2 == 1) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum, i < n ? in[i] : 0);
  __syncthreads();
  out[i] = sum;
}

// Warp 0 fills two buffers in turn, warp 1 empties them.
KERNEL(two_buffers) {
  __shared__ int buffers[2][32];
  int lane = threadIdx.x % 32, rounds = n / 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      int at = round % 2;
      if (round >= 2) sync(3 + at, 64);
      buffers[at][lane] = in[round * 32 + lane] * 3;
      __threadfence_block();
      arrive(1 + at, 64);
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      int at = round % 2;
      sync(1 + at, 64);
      out[round * 32 + lane] = buffers[at][31 - lane] + round;
      if (round + 2 < rounds) arrive(3 + at, 64);
    }
  }
}

// One warp fills for three that empty.
KERNEL(one_to_many) {
  __shared__ int buffer[96];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rounds = n / 96;
  for (int round = 0; round < rounds; ++round) {
    if (warp == 0) {
      if (round > 0) sync(2, 128);
      for (int k = 0; k < 3; ++k) buffer[k * 32 + lane] = in[round * 96 + k * 32 + lane];
      __threadfence_block();
      arrive(1, 128);
    } else {
      sync(1, 128);
      int at = (warp - 1) * 32 + lane;
      out[round * 96 + at] = buffer[95 - at] ^ warp;
      if (round + 1 < rounds) arrive(2, 128);
    }
  }
}

// Halves of a block that need nothing of each other until the end.
KERNEL(halves) {
  __shared__ int words[2][64];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, i = blockIdx.x * 128 + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int round = 0; round < 3 + 4 * half; ++round) {
    words[half][t] = v;
    sync(1 + half, 64);
    v += words[half][(t + 1) % 64];
    sync(1 + half, 64);
  }
  words[half][t] = v;
  __syncthreads();
  out[i] = v + words[1 - half][t];
}

// Each warp meets the next one at a barrier of their own, all around.
KERNEL(ring_of_warps) {
  __shared__ int words[8][32];
  int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  words[warp][lane] = in[threadIdx.x];
  if (warp > 0) sync(warp, 64);
  if (warp > 0) words[warp][lane] += words[warp - 1][31 - lane];
  __threadfence_block();
  if (warp + 1 < warps) sync(warp + 1, 64);
  out[threadIdx.x] = words[warp][lane];
}

static __device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
}

static __device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

KERNEL(lock_of_warps) {
  if (threadIdx.x % 32 == 0) {
    for (int round = 0; round < 3; ++round) {
      take(scratch);
      ((volatile int*)out)[0] += 1;
      give(scratch);
    }
  }
  __syncwarp(__ballot_sync(FULL, true));
}

// Every thread takes the lock as if it were alone.
KERNEL(lock_of_lanes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  take(scratch);
  ((volatile int*)out)[0] += in[i];
  give(scratch);
}

// Whoever has the lock gives it back before anybody asks again.
KERNEL(lock_in_loop) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = i >= n;
  while (!done) {
    if (atomicCAS(scratch, 0, 1) == 0) {
      __threadfence();
      ((volatile int*)out)[0] += in[i];
      __threadfence();
      atomicExch(scratch, 0);
      done = true;
    }
  }
}

KERNEL(lock_by_ticket) {
  if (threadIdx.x % 32 == 0) {
    int mine = atomicAdd(&scratch[0], 1);
    while (atomicAdd(&scratch[1], 0) != mine) {}
    __threadfence();
    int seen = ((volatile int*)out)[0];
    ((volatile int*)out)[0] = seen + 1;
    __threadfence();
    atomicAdd(&scratch[1], 1);
  }
}

// A lock for each of eight accounts; two are taken in order.
KERNEL(two_locks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = i >= n;
  int from = done ? 0 : in[i] & 7, to = done ? 0 : in[i] >> 3 & 7;
  if (from == to) done = true;
  int low = min(from, to), high = max(from, to);
  while (!done) {
    if (atomicCAS(&scratch[low], 0, 1) == 0) {
      if (atomicCAS(&scratch[high], 0, 1) == 0) {
        __threadfence();
        ((volatile int*)out)[from] -= i;
        ((volatile int*)out)[to] += i;
        __threadfence();
        atomicExch(&scratch[high], 0);
        done = true;
      }
      atomicExch(&scratch[low], 0);
    }
  }
}

// A lane waits for the one before it.
KERNEL(chain_of_lanes) {
  volatile int* ready = scratch;
  volatile int* sums = scratch + 1024;
  int t = threadIdx.x, sum = in[t];
  if (t > 0) {
    while (ready[t - 1] == 0) {}
    __threadfence();
    sum += sums[t - 1];
  }
  sums[t] = sum;
  __threadfence();
  ready[t] = 1;
  out[t] = sum;
}

// A lane waits for the one after it; on a stack the branch's other side, which would run, comes later.
KERNEL(flag_in_warp) {
  volatile int* flag = scratch;
  int lane = threadIdx.x % 32;
  if (lane == 0) {
    while (*flag == 0) {}
    out[blockIdx.x] = *flag;
  } else if (lane == 1) {
    *flag = 7;
  }
}

// All blocks wait for each other twice.
KERNEL(barrier_of_grid) {
  int b = blockIdx.x, v = in[b];
  volatile int* words = scratch + 16;
  for (int round = 1; round <= 2; ++round) {
    if (threadIdx.x == 0) words[round * 64 + b] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(scratch, 1);
      while (((volatile int*)scratch)[0] < round * gridDim.x) {}
      __threadfence();
    }
    __syncthreads();
    v += words[round * 64 + (b + 1) % gridDim.x];
  }
  if (threadIdx.x == 0) out[b] = v;
}

// Blocks write one after the other.
KERNEL(blocks_in_order) {
  if (threadIdx.x == 0) {
    while (((volatile int*)scratch)[0] != blockIdx.x) {}
    __threadfence();
  }
  __syncthreads();
  int before = blockIdx.x > 0 ? ((volatile int*)out)[blockIdx.x - 1] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    ((volatile int*)out)[blockIdx.x] = before * 3 + in[blockIdx.x];
    __threadfence();
    ((volatile int*)scratch)[0] = blockIdx.x + 1;
  }
}

// A queue of work that makes more work: the divisors of 2 down to 1.
KERNEL(queue) {
  volatile int* words = scratch + 16;
  int* head = scratch;
  int* tail = scratch + 1;
  volatile int* open = scratch + 2;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    for (int k = 0; k < n; ++k) words[k] = (in[k] & 15) + 1;
    atomicAdd(tail, n);
    __threadfence();
    atomicAdd(scratch + 2, n);
    __threadfence();
    scratch[3] = 1;
  }
  if (threadIdx.x % 32 != 0) return;
  while (((volatile int*)scratch)[3] == 0) {}
  while (*open > 0) {
    int at = ((volatile int*)head)[0];
    if (at >= ((volatile int*)tail)[0] || atomicCAS(head, at, at + 1) != at) continue;
    int v;
    while ((v = words[at]) == 0) {}
    atomicAdd(&out[v], 1);
    if (v > 1) {
      atomicAdd(scratch + 2, 1);
      int place = atomicAdd(tail, 1);
      words[place] = v / 2;
      __threadfence();
    }
    atomicSub(scratch + 2, 1);
  }
}

// Lanes part, and each part works with a mask of its own.
KERNEL(parts_of_warp) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned odd = __ballot_sync(FULL, v & 1);
  int got;
  if (v & 1) {
    got = __reduce_add_sync(odd, v);
    unsigned alike = __match_any_sync(odd, lane & 3);
    got += __shfl_sync(alike, v, __ffs(alike) - 1);
  } else {
    got = __reduce_max_sync(~odd, v);
  }
  __syncwarp();
  out[i] = got + __shfl_xor_sync(FULL, v, 1);
}
