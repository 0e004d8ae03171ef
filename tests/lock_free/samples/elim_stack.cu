// elimination back-off stack (Hendler, Shavit, Yerushalmi), the exchanger gives up
//
// assumed: _Z1kP5StackPii
#include <cuda/atomic>
struct Cell { int val; int next; };
using A64 = cuda::atomic<unsigned long long, cuda::thread_scope_device>;
struct Stack { A64 top; A64 slot[16]; Cell *cells; };
enum : unsigned long long { FREE = 0, WAITING = 1ull << 62, BUSY = 2ull << 62 };
__device__ bool try_push(Stack &s, int c) {
    auto t = s.top.load();
    s.cells[c].next = (int)(unsigned)t;
    return s.top.compare_exchange_strong(t, ((t >> 32) + 1) << 32 | (unsigned)c);
}
__device__ bool offer(Stack &s, int c, unsigned where, int spins) {
    auto &x = s.slot[where];
    unsigned long long f = FREE, mine = WAITING | (unsigned)c;
    if (!x.compare_exchange_strong(f, mine)) return false;
    for (int k = 0; k < spins; k++) {
        if (x.load() == BUSY) { x.store(FREE); return true; }
        __nanosleep(20);
    }
    if (x.compare_exchange_strong(mine, FREE)) return false;
    x.store(FREE);
    return true;
}
__device__ void push(Stack &s, int c, unsigned seed) {
    int spins = 4;
    while (!try_push(s, c)) {
        if (offer(s, c, seed & 15, spins)) return;
        seed = seed * 1664525u + 1013904223u;
        if (spins < 64) spins *= 2;
    }
}
__device__ int pop(Stack &s, unsigned seed) {
    while (true) {
        auto t = s.top.load();
        int c = (int)(unsigned)t;
        if (c == -1) return -1;
        int nx = *(volatile int *)&s.cells[c].next;
        if (s.top.compare_exchange_strong(t, ((t >> 32) + 1) << 32 | (unsigned)nx)) return c;
        auto &x = s.slot[seed & 15];
        auto w = x.load();
        if ((w & WAITING) && x.compare_exchange_strong(w, BUSY)) return (int)(unsigned)w;
        seed = seed * 1664525u + 1013904223u;
    }
}
__global__ void k(Stack *s, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    s->cells[t].val = t;
    push(*s, t, t * 31u);
    int c = pop(*s, t * 17u + 1);
    out[t] = c < 0 ? -1 : s->cells[c].val;
}
