// Kogan & Petrank 2011, enqueue of the wait-free queue: phases, help all with a smaller phase; descriptors packed in 64 bits.
typedef unsigned long long u64;  // desc: phase 32 | pending 1 | node 31
struct Node { int value; int enq_tid; unsigned next; };
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ unsigned ldu(unsigned *p) { return *(volatile unsigned *)p; }
__device__ __forceinline__ bool pending(u64 d) { return d & 0x80000000u; }
__device__ bool still(u64 *state, int tid, unsigned phase) { u64 d = ld(&state[tid]); return pending(d) && (unsigned)(d >> 32) <= phase; }
__device__ void help_finish(u64 *state, Node *pool, unsigned *tail) {
    unsigned last = ldu(tail), next = ldu(&pool[last].next);
    if (next == 0) return;
    int tid = *(volatile int *)&pool[next].enq_tid;
    u64 cur = ld(&state[tid]);
    if (last == ldu(tail) && (cur & 0x7fffffffu) == next) {
        atomicCAS(&state[tid], cur, cur & ~0x80000000ull);
        atomicCAS(tail, last, next);
    }
}
__device__ void help_enq(u64 *state, Node *pool, unsigned *tail, int tid, unsigned phase) {
    while (still(state, tid, phase)) {
        unsigned last = ldu(tail), next = ldu(&pool[last].next);
        if (last != ldu(tail)) continue;
        if (next == 0) {
            if (still(state, tid, phase)) {
                unsigned node = (unsigned)ld(&state[tid]) & 0x7fffffffu;
                if (atomicCAS(&pool[last].next, 0u, node) == 0) { help_finish(state, pool, tail); return; }
            }
        } else help_finish(state, pool, tail);
    }
}
// still found: k
extern "C" __global__ void k(u64 *state, Node *pool, unsigned *tail, unsigned *phases, int threads) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= threads) return;
    unsigned phase = atomicAdd(phases, 1);
    pool[tid + 1].value = tid; pool[tid + 1].enq_tid = tid; pool[tid + 1].next = 0;
    __threadfence();
    atomicExch(&state[tid], (u64)phase << 32 | 0x80000000u | (unsigned)(tid + 1));
    for (int i = 0; i < threads; ++i) {
        u64 d = ld(&state[i]);
        if (pending(d) && (unsigned)(d >> 32) <= phase) help_enq(state, pool, tail, i, phase);
    }
    help_finish(state, pool, tail);
}
