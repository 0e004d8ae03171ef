// What libcu++ has for threads that wait for each other.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cooperative_groups.h>
#include <new>

#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
namespace cg = cooperative_groups;
constexpr auto block_scope = cuda::thread_scope_block;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <class T>
struct Place {
  alignas(T) char bytes[sizeof(T)];
  __device__ T& get() { return *reinterpret_cast<T*>(bytes); }
};

// An object in shared memory that a thread makes.
template <class T, class... Args>
__device__ T& make(Place<T>& place, Args... args) {
  if (threadIdx.x == 0) new (place.bytes) T(args...);
  __syncthreads();
  return place.get();
}

KERNEL(atomic_refs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]), most(out[1]), any(out[2]), product(out[3]);
  sum.fetch_add(in[i], cuda::memory_order_relaxed);
  most.fetch_max(in[i]);
  any.fetch_or(1 << (in[i] & 31), cuda::memory_order_acq_rel);
  int seen = product.load();
  while (!product.compare_exchange_weak(seen, seen + 3 * in[i] + 1)) {}
}

KERNEL(atomic_flags) {
  __shared__ Place<cuda::atomic<int, block_scope>> place;
  auto& turn = make(place, 0);
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    int seen;
    while ((seen = turn.load(cuda::memory_order_acquire)) != warp) turn.wait(seen);
    out[blockIdx.x] = out[blockIdx.x] * 3 + warp + 1;
    turn.store(warp + 1, cuda::memory_order_release);
    turn.notify_all();
  }
}

KERNEL(semaphore_of_warps) {
  __shared__ Place<cuda::binary_semaphore<block_scope>> place;
  auto& semaphore = make(place, 1);
  if (threadIdx.x % 32 == 0) {
    for (int round = 0; round < 4; ++round) {
      semaphore.acquire();
      ((volatile int*)out)[blockIdx.x] += round;
      semaphore.release();
    }
  }
}

KERNEL(semaphore_of_lanes) {
  __shared__ Place<cuda::binary_semaphore<block_scope>> place;
  auto& semaphore = make(place, 1);
  semaphore.acquire();
  ((volatile int*)out)[blockIdx.x] += 1;
  semaphore.release();
}

KERNEL(semaphore_counting) {
  __shared__ Place<cuda::counting_semaphore<block_scope, 2>> place;
  __shared__ int inside, most;
  if (threadIdx.x == 0) inside = most = 0;
  auto& semaphore = make(place, 2);
  if (threadIdx.x % 32 == 0) {
    for (int round = 0; round < 3; ++round) {
      semaphore.acquire();
      atomicMax(&most, atomicAdd(&inside, 1) + 1);
      atomicAdd(&out[2 * blockIdx.x], 1);
      atomicSub(&inside, 1);
      semaphore.release();
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[2 * blockIdx.x + 1] = most <= 2 && most >= 1;
}

// Two semaphores hand a word over.
KERNEL(semaphore_hand_over) {
  __shared__ Place<cuda::binary_semaphore<block_scope>> full_place, empty_place;
  __shared__ int word;
  auto& empty = make(empty_place, 1);
  auto& full = make(full_place, 0);
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) {
      empty.acquire();
      word = in[k];
      full.release();
    } else if (threadIdx.x == 32) {
      full.acquire();
      out[k] = word * 2 + 1;
      empty.release();
    }
  }
}

KERNEL(latch_all) {
  __shared__ Place<cuda::latch<block_scope>> place;
  __shared__ int words[512];
  auto& latch = make(place, (int)blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  words[t] = i < n ? in[i] : 0;
  latch.arrive_and_wait();
  out[i] = words[blockDim.x - 1 - t];
}

// The first warp waits for what the others count down.
KERNEL(latch_of_warps) {
  __shared__ Place<cuda::latch<block_scope>> place;
  __shared__ int words[512];
  auto& latch = make(place, (int)blockDim.x - 32);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 32) {
    latch.wait();
    int sum = 0;
    for (int k = 32 + t; k < blockDim.x; k += 32) sum += words[k];
    out[blockIdx.x * 32 + t] = sum;
  } else {
    words[t] = i < n ? in[i] : 0;
    latch.count_down();
  }
}

KERNEL(barrier_rounds) {
  __shared__ Place<Barrier> place;
  __shared__ int words[512];
  auto& barrier = make(place, (int)blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = i < n ? in[i] : 0;
  for (int round = 0; round < 5; ++round) {
    words[t] = v;
    barrier.arrive_and_wait();
    v += 2 * words[(t + round + 1) % blockDim.x];
    barrier.arrive_and_wait();
  }
  out[i] = v;
}

// Work of one's own between arriving and waiting.
KERNEL(barrier_split) {
  __shared__ Place<Barrier> place;
  __shared__ int words[512];
  auto& barrier = make(place, (int)blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = i < n ? in[i] : 0;
  words[t] = v;
  auto token = barrier.arrive();
  for (int k = 0; k < t % 5; ++k) v = v * 3 + 1;
  barrier.wait(std::move(token));
  out[i] = v + words[(t + 1) % blockDim.x];
}

// Half of the block fills, the other half empties, with two buffers.
KERNEL(barrier_roles) {
  __shared__ Place<Barrier> places[4];
  __shared__ int buffers[2][64];
  int t = threadIdx.x % 64;
  bool fills = threadIdx.x < 64;
  if (threadIdx.x < 4) new (places[threadIdx.x].bytes) Barrier(128);
  __syncthreads();
  int rounds = n / 64;
  if (fills) {
    for (int round = 0; round < rounds; ++round) {
      int at = round % 2;
      places[at].get().arrive_and_wait();
      buffers[at][t] = in[round * 64 + t] + round;
      (void)places[2 + at].get().arrive();
    }
  } else {
    (void)places[0].get().arrive();
    (void)places[1].get().arrive();
    for (int round = 0; round < rounds; ++round) {
      int at = round % 2;
      places[2 + at].get().arrive_and_wait();
      out[round * 64 + t] = buffers[at][63 - t];
      (void)places[at].get().arrive();
    }
  }
}

KERNEL(barrier_drop) {
  __shared__ Place<Barrier> place;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  auto& barrier = make(place, (int)blockDim.x);
  int t = threadIdx.x, leaves = t / 16;
  for (int round = 0; round < 8; ++round) {
    if (leaves == round) {
      barrier.arrive_and_drop();
      break;
    }
    atomicAdd(&sum, round + 1);
    barrier.arrive_and_wait();
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = sum;
}

struct Count {
  int* counter;
  __device__ void operator()() noexcept { *counter += 1; }
};

KERNEL(barrier_completion) {
  using Counting = cuda::barrier<block_scope, Count>;
  __shared__ Place<Counting> place;
  __shared__ int phases;
  if (threadIdx.x == 0) {
    phases = 0;
    new (place.bytes) Counting(blockDim.x, Count{&phases});
  }
  __syncthreads();
  int seen = 0;
  for (int round = 0; round < 4; ++round) {
    place.get().arrive_and_wait();
    seen = seen * 8 + phases;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}

KERNEL(copy_barrier) {
  __shared__ Place<Barrier> place;
  __shared__ alignas(16) int words[512];
  auto group = cg::this_thread_block();
  auto& barrier = make(place, (int)blockDim.x);
  int t = threadIdx.x, size = blockDim.x;
  for (int first = blockIdx.x * size; first < n; first += gridDim.x * size) {
    int count = min(size, n - first);
    cuda::memcpy_async(group, words, in + first, sizeof(int) * count, barrier);
    barrier.arrive_and_wait();
    if (t < count) out[first + t] = words[count - 1 - t];
    barrier.arrive_and_wait();
  }
}

KERNEL(pipeline_block) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<block_scope, 2> state;
  __shared__ int words[2][256];
  auto group = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(group, &state);
  int t = threadIdx.x, size = blockDim.x, rounds = n / size;
  auto fetch = [&](int round) {
    pipeline.producer_acquire();
    if (round < rounds) cuda::memcpy_async(group, words[round % 2], in + round * size, sizeof(int) * size, pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int round = 0; round < rounds; ++round) {
    fetch(round + 1);
    pipeline.consumer_wait();
    out[round * size + t] = words[round % 2][(t + 1) % size] * 2;
    pipeline.consumer_release();
  }
}

// Each thread copies for itself, four stages ahead.
KERNEL(pipeline_thread) {
  __shared__ int words[4][256];
  auto pipeline = cuda::make_pipeline();
  int t = threadIdx.x, size = blockDim.x, rounds = n / size, sum = 0;
  for (int round = 0; round < rounds + 3; ++round) {
    pipeline.producer_acquire();
    if (round < rounds) cuda::memcpy_async(&words[round % 4][t], &in[round * size + t], cuda::aligned_size_t<4>(4), pipeline);
    pipeline.producer_commit();
    if (round >= 3) {
      cuda::pipeline_consumer_wait_prior<3>(pipeline);
      sum = sum * 5 + words[(round - 3) % 4][t];
      pipeline.consumer_release();
    }
  }
  out[t] = sum;
}

// One warp copies, the others compute.
KERNEL(pipeline_roles) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<block_scope, 2> state;
  __shared__ int words[2][64];
  auto group = cg::this_thread_block();
  bool copies = threadIdx.x < 32;
  auto pipeline = cuda::make_pipeline(group, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int rounds = n / 64;
  if (copies) {
    for (int round = 0; round < rounds; ++round) {
      pipeline.producer_acquire();
      for (int k = threadIdx.x; k < 64; k += 32)
        cuda::memcpy_async(&words[round % 2][k], &in[round * 64 + k], cuda::aligned_size_t<4>(4), pipeline);
      pipeline.producer_commit();
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      pipeline.consumer_wait();
      int t = threadIdx.x - 32;
      if (t < 64) out[round * 64 + t] = words[round % 2][63 - t] - round;
      pipeline.consumer_release();
    }
  }
}
