// Lock-free structures with cuda::atomic and cuda::atomic_ref, in classes and templates.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

#include <cuda/atomic>

typedef unsigned long long Word;
template <typename T> using DeviceRef = cuda::atomic_ref<T, cuda::thread_scope_device>;

__device__ unsigned stack_head, stack_next[1024], queue_head, queue_tail, queue_next[1024], table_keys[1024], flag_word, bits_word, link_word[64];
__device__ Word tagged_head;
__device__ int maximum_word;
__device__ float float_word;

// nothing: block_scope_counter
// cuda::atomic in shared memory: a bounded counter by compare_exchange_weak.
extern "C" __global__ void block_scope_counter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> count;
    if (threadIdx.x == 0) count.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    unsigned old = count.load(cuda::memory_order_relaxed);
    while (old < 40 && !count.compare_exchange_weak(old, old + 1, cuda::memory_order_relaxed)) {}
    __syncthreads();
    if (threadIdx.x == 0) b[0] = count.load();
}

// found: ref_wait
// cuda::atomic_ref::wait: goes to sleep until lane 0 has changed the word.
extern "C" __global__ void ref_wait(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    DeviceRef<unsigned> flag(flag_word);
    if (threadIdx.x != 0) {
        flag.wait(0, cuda::memory_order_acquire);
        DeviceRef<unsigned>(b[0]).fetch_add(1, cuda::memory_order_relaxed);
    } else {
        flag.store(1, cuda::memory_order_release);
        flag.notify_all();
    }
}

// found: ref_spin_lock
// A lock by compare_exchange_weak whose expected value is set back to 0 in each round.
extern "C" __global__ void ref_spin_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    DeviceRef<unsigned> lock(link_word[0]);
    unsigned free = 0;
    while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire)) free = 0;
    DeviceRef<unsigned>(b[0]).fetch_add(1, cuda::memory_order_relaxed);
    lock.store(0, cuda::memory_order_release);
}

// found: ref_fetch_or_lock
// A lock in the top bit by fetch_or.
extern "C" __global__ void ref_fetch_or_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    DeviceRef<unsigned> lock(link_word[1]);
    while (lock.fetch_or(1u << 31, cuda::memory_order_acquire) >> 31) {}
    DeviceRef<unsigned>(b[0]).fetch_add(1, cuda::memory_order_relaxed);
    lock.fetch_and(~(1u << 31), cuda::memory_order_release);
}
