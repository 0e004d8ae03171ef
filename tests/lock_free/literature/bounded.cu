// Bounded array queues: fail instead of waiting (plus two that wait).
#include <cuda/atomic>
typedef unsigned long long u64;

template <unsigned N> struct MpmcRing {
    struct Cell { unsigned seq; int data; };
    Cell cell[N];
    unsigned enq, deq;

    __device__ bool push(int v)
    {
        unsigned pos = *(volatile unsigned *)&enq;
        for (;;) {
            Cell *c = &cell[pos & (N - 1)];
            unsigned s = *(volatile unsigned *)&c->seq;
            int dif = (int)(s - pos);
            if (dif == 0) {
                unsigned r = atomicCAS(&enq, pos, pos + 1);
                if (r == pos) {
                    c->data = v;
                    __threadfence();
                    *(volatile unsigned *)&c->seq = pos + 1;
                    return true;
                }
                pos = r;
            } else if (dif < 0) {
                return false;                      // full
            } else {
                pos = *(volatile unsigned *)&enq;
            }
        }
    }
    __device__ bool pop(int &v)
    {
        unsigned pos = *(volatile unsigned *)&deq;
        for (;;) {
            Cell *c = &cell[pos & (N - 1)];
            unsigned s = *(volatile unsigned *)&c->seq;
            int dif = (int)(s - (pos + 1));
            if (dif == 0) {
                unsigned r = atomicCAS(&deq, pos, pos + 1);
                if (r == pos) {
                    __threadfence();
                    v = *(volatile int *)&c->data;
                    __threadfence();
                    *(volatile unsigned *)&c->seq = pos + N;
                    return true;
                }
                pos = r;
            } else if (dif < 0) {
                return false;                      // empty, or its writer is not ready: give up
            } else {
                pos = *(volatile unsigned *)&deq;
            }
        }
    }
};

// assumed: vyukov_try_pairs
// bounded MPMC queue (D. Vyukov), operations return false when full / empty
extern "C" __global__ void vyukov_try_pairs(MpmcRing<1024> *q, int *ok_push, int *sum_pop, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int np = 0, s = 0, v;
    for (int i = 0; i < ops; ++i) {
        np += q->push(tid ^ i) ? 1 : 0;
        if (q->pop(v)) s += v;
    }
    ok_push[tid] = np;
    sum_pop[tid] = s;
}

// ---- Shann, Huang, Chen: CAS on the slot, then help the index along --------
__device__ __forceinline__ unsigned rd(const unsigned *p) { return *(const volatile unsigned *)p; }

__device__ bool shann_enq(u64 *slot, unsigned L, unsigned *front, unsigned *rear, unsigned v)
{
    while (true) {
        unsigned t = rd(rear);
        u64 x = *(volatile u64 *)&slot[t % L];
        if (t != rd(rear)) continue;
        unsigned f = rd(front);
        if (t - f == L) {
            if (((unsigned)*(volatile u64 *)&slot[f % L]) != 0 && f == rd(front)) return false;
            atomicCAS(front, f, f + 1);            // help a dequeuer
            continue;
        }
        if ((unsigned)x == 0) {
            if (atomicCAS(&slot[t % L], x, (((x >> 32) + 1) << 32) | v) == x) {
                atomicCAS(rear, t, t + 1);
                return true;
            }
        } else {
            atomicCAS(rear, t, t + 1);             // help an enqueuer
        }
    }
}

__device__ unsigned shann_deq(u64 *slot, unsigned L, unsigned *front, unsigned *rear)
{
    while (true) {
        unsigned h = rd(front);
        u64 x = *(volatile u64 *)&slot[h % L];
        if (h != rd(front)) continue;
        if (h == rd(rear)) return 0;
        if ((unsigned)x != 0) {
            if (atomicCAS(&slot[h % L], x, ((x >> 32) + 1) << 32) == x) {
                atomicCAS(front, h, h + 1);
                return (unsigned)x;
            }
        } else {
            atomicCAS(front, h, h + 1);
        }
    }
}

// still found: shann_array_try
// circular-array queue with counted slots and index helping (Shann, Huang, Chen 2000)
extern "C" __global__ void shann_array_try(u64 *slot, unsigned L, unsigned *front, unsigned *rear,
                                           unsigned *out, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x, acc = 0;
    for (int i = 0; i < ops; ++i) {
        if (((tid >> 1) + i) & 1) acc += shann_enq(slot, L, front, rear, tid + 1) ? 0x10000u : 0u;
        else acc += shann_deq(slot, L, front, rear) != 0;
    }
    out[tid] = acc;
}

// nothing: spsc_lamport_try
// one Lamport ring (1983) per block, thread 0 produces, thread 1 consumes; bounded numbers of attempts
extern "C" __global__ void spsc_lamport_try(unsigned *heads, unsigned *tails, int *bufs, int cap,
                                            int *out, int attempts)
{
    using Ref = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
    Ref head(heads[blockIdx.x]), tail(tails[blockIdx.x]);
    int *buf = bufs + blockIdx.x * cap;
    int done = 0;
    if (threadIdx.x == 0) {
        unsigned t = tail.load(cuda::memory_order_relaxed);
        for (int i = 0; i < attempts; ++i) {
            if (t - head.load(cuda::memory_order_acquire) >= (unsigned)cap) continue;   // full: drop it
            buf[t % cap] = i;
            tail.store(++t, cuda::memory_order_release);
            ++done;
        }
        out[2 * blockIdx.x] = done;
    } else if (threadIdx.x == 1) {
        unsigned h = head.load(cuda::memory_order_relaxed);
        for (int i = 0; i < attempts; ++i) {
            if (h == tail.load(cuda::memory_order_acquire)) continue;                   // empty
            done += buf[h % cap];
            head.store(++h, cuda::memory_order_release);
        }
        out[2 * blockIdx.x + 1] = done;
    }
}

// found: ring_ticket_fill_wait
// ticket ring: the consumer takes a ticket and spins until that slot is filled
extern "C" __global__ void ring_ticket_fill_wait(int *slot, unsigned mask, unsigned *enq, unsigned *deq,
                                                 int *out, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        if (tid & 1) {
            unsigned t = atomicAdd(enq, 1);
            __threadfence();
            atomicExch(&slot[t & mask], (int)tid + 1);
        } else {
            unsigned t = atomicAdd(deq, 1);
            int v;
            do { v = atomicExch(&slot[t & mask], 0); } while (v == 0);
            out[tid * ops + i] = v;
        }
    }
}

// found: ring_push_space_wait
// bounded ring: the producer reserves by fetch-and-add and waits for consumers to make space
extern "C" __global__ void ring_push_space_wait(int *slot, unsigned cap, unsigned *enq, unsigned *consumed,
                                                const int *in)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = atomicAdd(enq, 1);
    while ((int)(t - *(volatile unsigned *)consumed) >= (int)cap) { }
    slot[t % cap] = in[tid];
}
