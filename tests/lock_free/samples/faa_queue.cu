// FAA array queue (Correia & Ramalhete / LCRQ idea): tickets; a dequeuer poisons a cell that is late
//
// assumed: _Z3runP4FAAQPii
#include <cuda/atomic>
struct FAAQ {
    cuda::atomic<unsigned, cuda::thread_scope_device> enq, deq;
    int *cells; unsigned size;
};
static constexpr int kNull = 0, kTaken = -1;
__device__ bool enqueue(FAAQ &q, int v) {
    while (true) {
        unsigned t = q.enq.fetch_add(1);
        if (t >= q.size) return false;
        if (atomicCAS(&q.cells[t], kNull, v) == kNull) return true;
    }
}
__device__ int dequeue(FAAQ &q) {
    while (true) {
        if (q.deq.load() >= q.enq.load()) return kNull;
        unsigned t = q.deq.fetch_add(1);
        if (t >= q.size) return kNull;
        int v = atomicExch(&q.cells[t], kTaken);
        if (v != kNull) return v;
    }
}
__global__ void run(FAAQ *q, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i & 1) enqueue(*q, i);
    else out[i] = dequeue(*q);
}
