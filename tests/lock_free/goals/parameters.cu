// Lock-free structures in buffers that are parameters, also several of them, and in structures by pointer.
// All kernels: a = the structure (all zero at the start), b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

// nothing: treiber_one_buffer
// Treiber's stack in one buffer: word 0 is the head, links stand behind it.
extern "C" __global__ void treiber_one_buffer(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned node = t + 1, old = *(volatile unsigned *)a;
    for (;;) {
        *(volatile unsigned *)&a[node] = old;
        __threadfence();
        unsigned seen = atomicCAS(a, old, node);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: pop_one_buffer
// Treiber's pop in one buffer that lane 0 fills.
extern "C" __global__ void pop_one_buffer(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t <= n) a[t] = t + 1;
    __syncthreads();
    if (t >= n - 1) return;
    unsigned top = *(volatile unsigned *)a;
    while (top != 0) {
        unsigned seen = atomicCAS(a, top, *(volatile unsigned *)&a[top]);
        if (seen == top) break;
        top = seen;
    }
    b[t] = 1;
}

// nothing: queue_structure
// A bounded queue as a structure with head, tail and items: items are claimed while there are any.
struct Queue { unsigned head, tail, items[64]; };
extern "C" __global__ void queue_structure(Queue *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < 40) a->items[t] = t + 1;
    if (t == 0) a->tail = 40;
    __syncthreads();
    unsigned head = *(volatile unsigned *)&a->head;
    while (head < *(volatile unsigned *)&a->tail) {
        unsigned seen = atomicCAS(&a->head, head, head + 1);
        if (seen == head) {
            atomicAdd(b, *(volatile unsigned *)&a->items[head]);
            break;
        }
        head = seen;
    }
}

// nothing: shared_table
// A hash table in shared memory, results in global memory.
extern "C" __global__ void shared_table(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    __shared__ unsigned keys[256], counts[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) keys[i] = counts[i] = 0;
    __syncthreads();
    unsigned key = c[threadIdx.x] % 50 + 1, slot = key * 7 & 255;
    while (true) {
        unsigned seen = atomicCAS(&keys[slot], 0, key);
        if (seen == 0 || seen == key) break;
        slot = (slot + 1) & 255;
    }
    atomicAdd(&counts[slot], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int i = 0; i < 256; ++i) sum += counts[i];
        b[0] = sum;
    }
}

// nothing: shared_stack
// Treiber's stack in shared memory: push.
extern "C" __global__ void shared_stack(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    __shared__ unsigned head[2], next[256];
    if (threadIdx.x == 0) head[0] = 0;
    __syncthreads();
    unsigned node = threadIdx.x + 1, old;
    do {
        old = *(volatile unsigned *)head;
        *(volatile unsigned *)&next[node] = old;
        __threadfence_block();
    } while (atomicCAS(head, old, node) != old);
    b[threadIdx.x] = node;
}

// nothing: shared_maximum
// Largest float in shared memory, by compare and swap.
extern "C" __global__ void shared_maximum(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    float mine = threadIdx.x;
    int old = *(volatile int *)&best;
    while (__int_as_float(old) < mine) {
        int seen = atomicCAS(&best, old, __float_as_int(mine));
        if (seen == old) break;
        old = seen;
    }
    __syncthreads();
    if (threadIdx.x == 0) b[0] = best;
}

// nothing: loop_of_updates
// Many updates by compare and swap in a loop over items, each behind the other, with a result per item.
extern "C" __global__ void loop_of_updates(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    for (int i = threadIdx.x; i < 4 * n; i += blockDim.x) {
        unsigned *cell = &a[c[i] & 31], old = *(volatile unsigned *)cell, assumed;
        do {
            assumed = old;
            old = atomicCAS(cell, assumed, assumed * 5 + 1);
        } while (old != assumed);
        b[i] = i;
    }
}

// nothing: warp_aggregated
// The leader of the lanes with the same cell adds for all of them, by compare and swap up to a limit.
extern "C" __global__ void warp_aggregated(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    unsigned cell = c[threadIdx.x] & 7, same = __match_any_sync(0xffffffffu, cell);
    if ((threadIdx.x & 31) == __ffs(same) - 1) {
        unsigned old = *(volatile unsigned *)&a[cell];
        while (old < 1000) {
            unsigned seen = atomicCAS(&a[cell], old, old + __popc(same));
            if (seen == old) break;
            old = seen;
        }
    }
    b[threadIdx.x] = 1;
}
