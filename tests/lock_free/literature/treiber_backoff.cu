// Stacks with contention management / reclamation, and two that really block.
typedef unsigned long long u64;
#define EMPTY_SLOT 0ull
#define OFFER      (1ull << 62)
#define TAKEN      (2ull << 62)

struct EStack {
    u64 head;            // tag:32 | idx:32, idx 0 is null
    unsigned *next;
    u64 exch[32];        // elimination array
};

__device__ static bool try_push(EStack *s, unsigned n)
{
    u64 h = *(volatile u64 *)&s->head;
    ((volatile unsigned *)s->next)[n] = (unsigned)h;
    __threadfence();
    return atomicCAS(&s->head, h, ((h >> 32) + 1) << 32 | n) == h;
}

__device__ static int try_pop(EStack *s, unsigned *n)   // 1 ok, 0 empty, -1 lost the race
{
    u64 h = *(volatile u64 *)&s->head;
    if ((unsigned)h == 0) return 0;
    unsigned nx = ((volatile unsigned *)s->next)[(unsigned)h];
    if (atomicCAS(&s->head, h, ((h >> 32) + 1) << 32 | nx) != h) return -1;
    *n = (unsigned)h;
    return 1;
}

// A pusher leaves an offer for a bounded time and then withdraws it.
__device__ static bool offer_push(u64 *slot, unsigned n)
{
    u64 off = OFFER | n;
    if (atomicCAS(slot, EMPTY_SLOT, off) != EMPTY_SLOT) return false;
    for (int spin = 0; spin < 64; ++spin) {
        if (*(volatile u64 *)slot == TAKEN) {
            *(volatile u64 *)slot = EMPTY_SLOT;
            return true;
        }
    }
    if (atomicCAS(slot, off, EMPTY_SLOT) == off) return false;
    *(volatile u64 *)slot = EMPTY_SLOT;     // somebody took it at the last moment
    return true;
}

__device__ static bool grab_pop(u64 *slot, unsigned *n)
{
    u64 v = *(volatile u64 *)slot;
    if ((v >> 62) != 1) return false;
    if (atomicCAS(slot, v, TAKEN) != v) return false;
    *n = (unsigned)v;
    return true;
}

// nothing: treiber_elimination
// Elimination back-off stack (Hendler, Shavit, Yerushalmi 2004), offers withdrawn after a bounded wait
extern "C" __global__ void treiber_elimination(EStack *s, unsigned *result, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rng = tid * 2654435761u + 1u, popped = 0;
    for (int i = 0; i < ops; ++i) {
        if ((tid + i) & 1) {
            unsigned n = 1 + tid * ops + i;
            while (!try_push(s, n)) {
                rng = rng * 1664525u + 1013904223u;
                if (offer_push(&s->exch[rng >> 27], n)) break;
            }
        } else {
            unsigned n = 0;
            for (;;) {
                int r = try_pop(s, &n);
                if (r >= 0) break;
                rng = rng * 1664525u + 1013904223u;
                if (grab_pop(&s->exch[rng >> 27], &n)) break;
            }
            popped += n != 0;
        }
    }
    result[tid] = popped;
}

// ---- hazard slots ---------------------------------------------------------
struct HzStack {
    int top;
    int hazard[1024];     // one per thread, -1 = none
    int next[1 << 15];
    int value[1 << 15];
};

// assumed: treiber_hazard
// Treiber stack with hazard pointers (M. Michael 2004): protect, validate, pop, retire, bounded scan
extern "C" __global__ void treiber_hazard(HzStack *s, int nthreads, int *sums, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= nthreads || tid >= 1024) return;
    int retired[8], nret = 0, spare = -1, sum = 0;
    volatile int *hz = s->hazard;
    for (int i = 0; i < ops; ++i) {
        // pop
        int h;
        for (;;) {
            h = *(volatile int *)&s->top;
            if (h < 0) break;
            hz[tid] = h;
            __threadfence();
            if (*(volatile int *)&s->top != h) continue;
            int nx = *(volatile int *)&s->next[h];
            if (atomicCAS(&s->top, h, nx) == h) break;
        }
        hz[tid] = -1;
        if (h < 0) continue;
        sum += s->value[h];
        // retire
        if (nret < 8) retired[nret++] = h;
        // scan: take back the first retired node nobody protects (else keep it for later)
        for (int r = 0; r < nret && spare < 0; ++r) {
            bool busy = false;
            for (int t = 0; t < nthreads && !busy; ++t) busy = hz[t] == retired[r];
            if (!busy) {
                spare = retired[r];
                retired[r] = retired[--nret];
            }
        }
        // push it again
        if (spare >= 0 && (i & 1)) {
            s->value[spare] = i;
            int t, seen = *(volatile int *)&s->top;
            do {
                t = seen;
                *(volatile int *)&s->next[spare] = t;
                __threadfence();
                seen = atomicCAS(&s->top, t, spare);
            } while (seen != t);
            spare = -1;
        }
    }
    sums[tid] = sum;
}

// ---- the blocking look-alikes ---------------------------------------------

// found: stack_headlockbit
// "Treiber" stack whose head carries a lock bit: everybody else spins till the holder clears it
extern "C" __global__ void stack_headlockbit(unsigned *head, unsigned *next, unsigned *out, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        unsigned h, n = tid * ops + i + 1;
        for (;;) {
            h = *(volatile unsigned *)head;
            if (h & 0x80000000u) continue;                         // locked by another
            if (atomicCAS(head, h, h | 0x80000000u) == h) break;
        }
        next[n] = h;
        out[n - 1] = h;
        __threadfence();
        atomicExch(head, n);                                       // publish and unlock
    }
}

// found: stack_exch_link_wait
// Exchange-push stack: node is linked after the exchange, walker waits till the link is there
extern "C" __global__ void stack_exch_link_wait(int *top, int *next /* -2 = not linked yet */, int *out, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        int prev = atomicExch(top, tid);
        __threadfence();
        atomicExch(&next[tid], prev);
    } else {
        int cnt = 0;
        int cur = atomicExch(top, -1);
        while (cur >= 0) {
            int nx;
            while ((nx = *(volatile int *)&next[cur]) == -2) { }
            cur = nx;
            ++cnt;
        }
        out[tid - n] = cnt;
    }
}
