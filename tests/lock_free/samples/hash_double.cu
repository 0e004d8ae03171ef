// double hashing with tombstones, cuco style with cuda::atomic_ref
//
// assumed: _Z5mixed3MapIjfEPKjPKfiPj
#include <cuda/atomic>
template <class K, class V> struct Slot { K key; V val; };
template <class K, class V> struct Map {
    Slot<K, V> *slots; unsigned prime; K empty, erased;
    using ref = cuda::atomic_ref<K, cuda::thread_scope_device>;
    __device__ bool insert(K k, V v) {
        unsigned i = k % prime, step = 1 + k % (prime - 1), first = i;
        while (true) {
            ref r(slots[i].key);
            K cur = r.load(cuda::memory_order_relaxed);
            if (cur == k) return false;
            if (cur == empty || cur == erased) {
                if (r.compare_exchange_strong(cur, k, cuda::memory_order_relaxed)) { slots[i].val = v; return true; }
                if (cur == k) return false;
                if (cur == empty || cur == erased) continue;
            }
            i = (i + step) % prime;
            if (i == first) return false;
        }
    }
    __device__ bool erase(K k) {
        unsigned i = k % prime, step = 1 + k % (prime - 1), first = i;
        do {
            ref r(slots[i].key);
            K cur = r.load(cuda::memory_order_relaxed);
            if (cur == empty) return false;
            if (cur == k) return r.compare_exchange_strong(cur, erased, cuda::memory_order_relaxed);
            i = (i + step) % prime;
        } while (i != first);
        return false;
    }
};
__global__ void mixed(Map<unsigned, float> m, const unsigned *keys, const float *vals, int n, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (vals[i] < 0) { if (m.erase(keys[i])) atomicSub(count, 1u); }
    else if (m.insert(keys[i], vals[i])) atomicAdd(count, 1u);
}
