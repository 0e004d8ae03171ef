// Queues and work lists from the literature, used inside larger kernels.
#include <cuda/atomic>
#include <cstdint>

typedef unsigned long long u64;

// ---- Michael & Scott 1996; links are tag << 32 | index, index 0 nil, node 1 is the first dummy ----
struct MSQueue {
    u64* head; u64* tail; u64* next; int* value;
    __device__ static u64 rd(u64* p) { return *(volatile u64*)p; }
    __device__ static u64 mk(u64 old, unsigned idx) { return ((old >> 32) + 1) << 32 | idx; }

    __device__ void push(unsigned node, int v)
    {
        value[node] = v;
        *(volatile u64*)&next[node] = rd(&next[node]) & 0xffffffff00000000ull;
        __threadfence();
        while (true) {
            u64 t = rd(tail);
            u64 nx = rd(&next[(unsigned)t]);
            if (t != rd(tail)) continue;
            if ((unsigned)nx == 0u) {
                if (atomicCAS(&next[(unsigned)t], nx, mk(nx, node)) == nx) {
                    atomicCAS(tail, t, mk(t, node));
                    return;
                }
            } else atomicCAS(tail, t, mk(t, (unsigned)nx));       // help
        }
    }
    __device__ bool pop(int& v)
    {
        while (true) {
            u64 h = rd(head), t = rd(tail), nx = rd(&next[(unsigned)h]);
            if (h != rd(head)) continue;
            if ((unsigned)h == (unsigned)t) {
                if ((unsigned)nx == 0u) return false;
                atomicCAS(tail, t, mk(t, (unsigned)nx));
            } else {
                v = *(volatile int*)&value[(unsigned)nx];
                if (atomicCAS(head, h, mk(h, (unsigned)nx)) == h) return true;
            }
        }
    }
};

// nothing: ms_queue_mixed
// Michael & Scott queue with counted indices, each thread some pushes then some pops
extern "C" __global__ void ms_queue_mixed(MSQueue q, int perThread, int* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < perThread; ++r) q.push(2 + t * perThread + r, t * 1000 + r);
    for (int r = 0; r < perThread; ++r) {
        int v = -1;
        out[t * perThread + r] = q.pop(v) ? v : -1;
    }
}

// ---- Arora, Blumofe, Plaxton 1998 deque, one per block ----
struct AbpDeque {
    cuda::atomic<u64, cuda::thread_scope_device>      age;      // tag << 32 | top
    cuda::atomic<unsigned, cuda::thread_scope_device> bot;
    int task[1024];

    __device__ bool steal(int& t)
    {
        u64 a = age.load();
        unsigned b = bot.load();
        if (b <= (unsigned)a) return false;
        t = *(volatile int*)&task[(unsigned)a];
        return age.compare_exchange_strong(a, a + 1);
    }
    __device__ bool take(int& t)
    {
        unsigned b = bot.load();
        if (b == 0) return false;
        bot.store(--b);
        t = *(volatile int*)&task[b];
        u64 a = age.load();
        if (b > (unsigned)a) return true;
        bot.store(0u);
        u64 fresh = ((a >> 32) + 1) << 32;
        if (b == (unsigned)a && age.compare_exchange_strong(a, fresh)) return true;
        age.store(fresh);
        return false;
    }
};

// nothing: abp_steal_run
// work stealing: own deque first, then one sweep over the others, then done (Arora et al. 1998; Cederman & Tsigas 2008)
extern "C" __global__ void abp_steal_run(AbpDeque* dq, const float* cost, float* result)
{
    if (threadIdx.x != 0) return;
    int t;
    float acc = 0.f;
    while (dq[blockIdx.x].take(t)) acc += cost[t];
    for (unsigned k = 1; k < gridDim.x; ++k)
        while (dq[(blockIdx.x + k) % gridDim.x].steal(t)) acc += cost[t];
    result[blockIdx.x] = acc;
}

struct Cell { unsigned seq; int data; };

// assumed: ring_try_ops
// bounded MPMC ring (Vyukov), try-versions: a full, empty or unfinished cell makes the operation fail at once
extern "C" __global__ void ring_try_ops(Cell* ring, unsigned mask, unsigned* enq, unsigned* deq, const int* in, int n, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool pushed = false;
    unsigned pos = *(volatile unsigned*)enq;
    for (;;) {
        Cell* c = &ring[pos & mask];
        int d = (int)(*(volatile unsigned*)&c->seq - pos);
        if (d < 0) break;
        if (d == 0) {
            unsigned was = atomicCAS(enq, pos, pos + 1);
            if (was == pos) {
                c->data = in[i];
                __threadfence();
                *(volatile unsigned*)&c->seq = pos + 1;
                pushed = true;
                break;
            }
            pos = was;
        } else pos = *(volatile unsigned*)enq;
    }
    int got = pushed ? -1 : -2;
    pos = *(volatile unsigned*)deq;
    for (;;) {
        Cell* c = &ring[pos & mask];
        int d = (int)(*(volatile unsigned*)&c->seq - (pos + 1));
        if (d < 0) break;
        if (d == 0) {
            unsigned was = atomicCAS(deq, pos, pos + 1);
            if (was == pos) {
                __threadfence();
                got = *(volatile int*)&c->data;
                __threadfence();
                *(volatile unsigned*)&c->seq = pos + mask + 1;
                break;
            }
            pos = was;
        } else pos = *(volatile unsigned*)deq;
    }
    out[i] = got;
}

// nothing: compact_warp_agg
// warp-aggregated atomicAdd stream compaction into a worklist (Adinetz 2014)
extern "C" __global__ void compact_warp_agg(const int* in, int n, int threshold, int* out, int* nOut)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (in[i] <= threshold) continue;
        unsigned act = __activemask();
        int leader = __ffs(act) - 1, lane = threadIdx.x & 31, base = 0;
        if (lane == leader) base = atomicAdd(nOut, __popc(act));
        base = __shfl_sync(act, base, leader);
        out[base + __popc(act & ((1u << lane) - 1u))] = in[i];
    }
}

// found: ring_ticket_pop
// ticket ring: position taken with atomicAdd, then the cell's sequence number is awaited
extern "C" __global__ void ring_ticket_pop(Cell* ring, unsigned mask, unsigned* deq, int perThread, int* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < perThread; ++r) {
        unsigned pos = atomicAdd(deq, 1u);
        Cell* c = &ring[pos & mask];
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> seq(c->seq);
        while (seq.load(cuda::memory_order_acquire) != pos + 1) { }
        out[t * perThread + r] = c->data;
        seq.store(pos + mask + 1, cuda::memory_order_release);
    }
}
