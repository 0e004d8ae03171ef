// Work-stealing deques.
#include <cuda/atomic>
typedef unsigned long long u64;

struct ClDeque {
    int top;
    int bottom;
    int cap;       // power of two
    int *buf;
};
enum { CL_EMPTY = -1, CL_ABORT = -2 };

__device__ bool cl_push(ClDeque *d, int task)
{
    int b = *(volatile int *)&d->bottom;
    int t = *(volatile int *)&d->top;
    if (b - t >= d->cap) return false;
    *(volatile int *)&d->buf[b & (d->cap - 1)] = task;
    __threadfence();
    *(volatile int *)&d->bottom = b + 1;
    return true;
}
__device__ int cl_take(ClDeque *d)
{
    int b = *(volatile int *)&d->bottom - 1;
    *(volatile int *)&d->bottom = b;
    __threadfence();
    int t = *(volatile int *)&d->top;
    if (t > b) {
        *(volatile int *)&d->bottom = b + 1;
        return CL_EMPTY;
    }
    int x = *(volatile int *)&d->buf[b & (d->cap - 1)];
    if (t == b) {
        if (atomicCAS(&d->top, t, t + 1) != t) x = CL_EMPTY;
        *(volatile int *)&d->bottom = b + 1;
    }
    return x;
}
__device__ int cl_steal(ClDeque *d)
{
    int t = *(volatile int *)&d->top;
    __threadfence();
    int b = *(volatile int *)&d->bottom;
    if (t >= b) return CL_EMPTY;
    int x = *(volatile int *)&d->buf[t & (d->cap - 1)];
    return atomicCAS(&d->top, t, t + 1) == t ? x : CL_ABORT;
}

// nothing: chase_lev_mixed
// Chase-Lev deque (SPAA 2005): lane 0 of the block owns, other threads try to steal, abort allowed
extern "C" __global__ void chase_lev_mixed(ClDeque *deques, const int *tasks, int ntasks, int *done)
{
    ClDeque *d = deques + blockIdx.x;
    int cnt = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < ntasks; ++i) {
            int t = tasks[blockIdx.x * ntasks + i];
            if (!cl_push(d, t)) cnt += t;               // no room: run it at once
            if ((i & 3) == 3) {
                int x = cl_take(d);
                if (x >= 0) cnt += x;
            }
        }
        int x;
        while ((x = cl_take(d)) != CL_EMPTY) cnt += x;  // drain my own
    } else {
        for (int i = 0; i < ntasks; ++i) {
            int x = cl_steal(deques + (blockIdx.x + threadIdx.x + i) % gridDim.x);
            if (x >= 0) cnt += x;
        }
    }
    atomicAdd(&done[blockIdx.x], cnt);
}

// nothing: chase_lev_steal_retry
// Chase-Lev steal repeated on a lost race, till one task is got or the victim is empty
extern "C" __global__ void chase_lev_steal_retry(ClDeque *deques, int nd, int *out)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int got = -1;
    for (int v = 0; v < nd && got < 0; ++v) {
        do {
            got = cl_steal(&deques[(tid + v) % nd]);
        } while (got == CL_ABORT);
    }
    out[tid] = got;
}

// ---- Arora, Blumofe, Plaxton ------------------------------------------------
struct AbpDeque {
    u64 age;            // tag:32 | top:32
    unsigned bot;
    int task[1000];

    __device__ u64 getAge() { return *(volatile u64 *)&age; }

    __device__ bool pushBottom(int t)
    {
        unsigned b = *(volatile unsigned *)&bot;
        if (b >= 1000) return false;
        *(volatile int *)&task[b] = t;
        __threadfence();
        *(volatile unsigned *)&bot = b + 1;
        return true;
    }
    __device__ int popTop()
    {
        u64 o = getAge();
        __threadfence();
        if (*(volatile unsigned *)&bot <= (unsigned)o) return 0;
        int t = *(volatile int *)&task[(unsigned)o];
        return atomicCAS(&age, o, o + 1) == o ? t : 0;
    }
    __device__ int popBottom()
    {
        unsigned b = *(volatile unsigned *)&bot;
        if (b == 0) return 0;
        --b;
        *(volatile unsigned *)&bot = b;
        __threadfence();
        int t = *(volatile int *)&task[b];
        u64 o = getAge();
        if (b > (unsigned)o) return t;
        *(volatile unsigned *)&bot = 0;
        u64 n = ((o >> 32) + 1) << 32;
        if (b == (unsigned)o && atomicCAS(&age, o, n) == o) return t;
        atomicExch(&age, n);
        return 0;
    }
};

// nothing: abp_deque_mixed
// non-blocking deque with tagged age word (Arora, Blumofe, Plaxton SPAA 1998)
extern "C" __global__ void abp_deque_mixed(AbpDeque *dq, int ndq, int *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, acc = 0;
    if (tid < ndq) {
        for (int i = 1; i <= ops; ++i) {
            if (i % 3) { if (!dq[tid].pushBottom(i)) ++acc; }
            else acc += dq[tid].popBottom();
        }
    } else {
        unsigned r = tid;
        for (int i = 0; i < ops; ++i) {
            r ^= r << 13; r ^= r >> 17; r ^= r << 5;
            acc += dq[r % ndq].popTop();
        }
    }
    out[tid] = acc;
}

// ---- C11 style (Le, Pop, Cohen, Zappa Nardelli 2013) -----------------------
struct WsQueue {
    cuda::atomic<int, cuda::thread_scope_device> top, bottom;
    cuda::atomic<int, cuda::thread_scope_device> item[256];
};

// assumed: chase_lev_c11_ref
// Chase-Lev with C11 orders (Le et al. PPoPP 2013): owner drains, thieves go on till empty
extern "C" __global__ void chase_lev_c11_ref(WsQueue *qs, int *taken)
{
    using namespace cuda;
    WsQueue &q = qs[blockIdx.x];
    int n = 0;
    if (threadIdx.x == 0) {
        for (;;) {
            int b = q.bottom.load(memory_order_relaxed) - 1;
            q.bottom.store(b, memory_order_relaxed);
            atomic_thread_fence(memory_order_seq_cst, thread_scope_device);
            int t = q.top.load(memory_order_relaxed);
            bool got = t <= b;
            if (t >= b) {
                if (t == b) got = q.top.compare_exchange_strong(t, t + 1, memory_order_seq_cst, memory_order_relaxed);
                q.bottom.store(b + 1, memory_order_relaxed);
            }
            if (!got) break;
            n += q.item[b & 255].load(memory_order_relaxed);
        }
    } else {
        while (true) {
            int t = q.top.load(memory_order_acquire);
            atomic_thread_fence(memory_order_seq_cst, thread_scope_device);
            int b = q.bottom.load(memory_order_acquire);
            if (t >= b) break;
            int x = q.item[t & 255].load(memory_order_relaxed);
            if (q.top.compare_exchange_strong(t, t + 1, memory_order_seq_cst, memory_order_relaxed)) n += x;
        }
    }
    taken[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
