// Treiber stacks in several dialects.
#include <cuda/atomic>
#include <cstdint>

#define NIL_IDX (-1)

// ---- plain device globals, push only -------------------------------------
__device__ int g_top = NIL_IDX;
__device__ int g_link[1 << 16];
__device__ int g_val[1 << 16];

// nothing: treiber_push_idx
// Treiber stack, push only, node indices instead of pointers (R. K. Treiber 1986)
extern "C" __global__ void treiber_push_idx(const int *in, int *retries, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int lost = 0;
    for (int k = 0; k < per_thread; ++k) {
        int n = tid * per_thread + k;
        if (n >= (1 << 16)) break;
        g_val[n] = in[n];
        int seen = *(volatile int *)&g_top;
        while (true) {
            *(volatile int *)&g_link[n] = seen;
            __threadfence();
            int was = atomicCAS(&g_top, seen, n);
            if (was == seen) break;
            seen = was;
            ++lost;
        }
    }
    retries[tid] = lost;
}

// ---- 64-bit {tag, index} head --------------------------------------------
typedef unsigned long long u64;

__host__ __device__ static inline u64 pack(unsigned tag, unsigned idx) { return ((u64)tag << 32) | idx; }

// nothing: treiber_pop_tag64
// Treiber stack, pop only, {counter:32, index:32} head word against ABA (Treiber 1986, IBM freelist)
extern "C" __global__ void treiber_pop_tag64(u64 *head, const volatile unsigned *next,
                                             const int *payload, int *out, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        int got = -1;
        u64 h = *(volatile u64 *)head;
        for (;;) {
            unsigned idx = (unsigned)h;
            if (idx == 0xffffffffu) break;               // empty: report it, do not wait
            unsigned nx = next[idx];
            u64 want = pack((unsigned)(h >> 32) + 1u, nx);
            u64 was = atomicCAS(head, h, want);
            if (was == h) {
                __threadfence();
                got = payload[idx];
                break;
            }
            h = was;
        }
        out[tid * per_thread + k] = got;
    }
}

// ---- 32-bit head: 16 bit tag, 16 bit index -------------------------------
struct SmallStack {
    unsigned head;                 // tag:16 | idx+1:16   (0 = empty)
    unsigned short next[4096];
    int value[4096];

    __device__ void push(unsigned node)
    {
        unsigned h = *(volatile unsigned *)&head, n;
        do {
            *(volatile unsigned short *)&next[node] = (unsigned short)(h & 0xffffu);
            __threadfence();
            n = h;
            h = atomicCAS(&head, n, (n & 0xffff0000u) + 0x10000u + node + 1u);
        } while (h != n);
    }
    __device__ int pop()
    {
        unsigned h = *(volatile unsigned *)&head;
        while (h & 0xffffu) {
            unsigned node = (h & 0xffffu) - 1u;
            unsigned nx = *(volatile unsigned short *)&next[node];
            unsigned r = atomicCAS(&head, h, ((h & 0xffff0000u) + 0x10000u) | nx);
            if (r == h) return (int)node;
            h = r;
        }
        return -1;
    }
};

// nothing: treiber_pushpop_tag32
// Treiber stack, push and pop mixed, 16:16 tagged 32-bit head (Treiber 1986)
extern "C" __global__ void treiber_pushpop_tag32(SmallStack *s, int *sums, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = -1, sum = 0;
    for (int r = 0; r < rounds; ++r) {
        if (mine < 0) {
            mine = s->pop();
            if (mine >= 0) sum += s->value[mine];
        } else {
            s->value[mine] = tid + r;
            s->push((unsigned)mine);
            mine = -1;
        }
    }
    if (mine >= 0) s->push((unsigned)mine);
    sums[tid] = sum;
}

// ---- pointers, template, libcu++ -----------------------------------------
template <class T> struct Node {
    T data;
    Node *next;
};

template <class T> class PtrStack {
public:
    cuda::atomic<Node<T> *, cuda::thread_scope_device> top;

    __device__ void push(Node<T> *n)
    {
        Node<T> *old = top.load(cuda::memory_order_relaxed);
        do {
            n->next = old;
        } while (!top.compare_exchange_weak(old, n, cuda::memory_order_release, cuda::memory_order_relaxed));
    }
    // nodes are never re-used during a launch, so no tag is needed
    __device__ Node<T> *pop()
    {
        Node<T> *old = top.load(cuda::memory_order_acquire);
        while (old != nullptr) {
            if (top.compare_exchange_weak(old, old->next, cuda::memory_order_acq_rel, cuda::memory_order_acquire))
                return old;
        }
        return nullptr;
    }
};

// nothing: treiber_ptr_template_mix
// Treiber stack of raw pointers, class template over cuda::atomic (Treiber 1986)
extern "C" __global__ void treiber_ptr_template_mix(PtrStack<float> *st, Node<float> *pool, float *acc, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.f;
    for (int i = 0; i < ops; ++i) {
        Node<float> *n = &pool[tid * ops + i];
        n->data = 0.5f * i;
        st->push(n);
        if (i & 1) {
            if (Node<float> *g = st->pop()) a += g->data;
        }
    }
    acc[tid] = a;
}

// nothing: treiber_popall_exchange
// Treiber push; consumers detach the whole stack with one exchange and walk it privately
extern "C" __global__ void treiber_popall_exchange(int *top, int *next, const int *weight, int *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if ((tid & 3) != 3) {
        for (int i = 0; i < ops; ++i) {
            int me = tid * ops + i, expect;
            int cur = atomicAdd(top, 0);
            do {
                expect = cur;
                next[me] = expect;
                __threadfence();
                cur = atomicCAS(top, expect, me);
            } while (cur != expect);
        }
        out[tid] = 0;
    } else {
        int total = 0;
        for (int i = 0; i < ops; ++i) {
            int n = atomicExch(top, -1);
            __threadfence();
            while (n != -1) {
                total += weight[n];
                n = __ldcg(&next[n]);
            }
        }
        out[tid] = total;
    }
}
