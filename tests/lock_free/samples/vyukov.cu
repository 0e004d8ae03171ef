// Vyukov's bounded MPMC queue, gives up when full or empty
//
// assumed: _Z5relayP4RingIfLj1024EEPKfPfi
#include <cuda/atomic>
#include <cstdint>
template <typename T, unsigned N> struct Ring {
    struct Cell { cuda::atomic<uint32_t, cuda::thread_scope_device> seq; T data; } cells[N];
    alignas(128) cuda::atomic<uint32_t, cuda::thread_scope_device> enq;
    alignas(128) cuda::atomic<uint32_t, cuda::thread_scope_device> deq;
    __device__ bool push(T v) {
        Cell *cell; uint32_t pos = enq.load(cuda::memory_order_relaxed);
        for (;;) {
            cell = &cells[pos & (N - 1)];
            uint32_t seq = cell->seq.load(cuda::memory_order_acquire);
            int32_t dif = (int32_t)(seq - pos);
            if (dif == 0) { if (enq.compare_exchange_weak(pos, pos + 1, cuda::memory_order_relaxed)) break; }
            else if (dif < 0) return false;
            else pos = enq.load(cuda::memory_order_relaxed);
        }
        cell->data = v;
        cell->seq.store(pos + 1, cuda::memory_order_release);
        return true;
    }
    __device__ bool pop(T &v) {
        Cell *cell; uint32_t pos = deq.load(cuda::memory_order_relaxed);
        for (;;) {
            cell = &cells[pos & (N - 1)];
            uint32_t seq = cell->seq.load(cuda::memory_order_acquire);
            int32_t dif = (int32_t)(seq - (pos + 1));
            if (dif == 0) { if (deq.compare_exchange_weak(pos, pos + 1, cuda::memory_order_relaxed)) break; }
            else if (dif < 0) return false;
            else pos = deq.load(cuda::memory_order_relaxed);
        }
        v = cell->data;
        cell->seq.store(pos + N, cuda::memory_order_release);
        return true;
    }
};
__global__ void relay(Ring<float, 1024> *r, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (!r->push(in[i])) { out[i] = -1; return; }
    float v = 0; if (r->pop(v)) out[i] = v;
}
