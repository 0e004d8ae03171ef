// Who gets what: allocators, claims, work.

// nothing: bitmap
extern "C" __global__ void bitmap(unsigned *words, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, got = -1;
    for (int tries = 0; tries < 64 && got < 0; ++tries) {
        unsigned *word = &words[(t + tries) & 63], now = *(volatile unsigned *)word;
        while (now != 0xffffffffu) {
            int bit = __ffs(~now) - 1;
            unsigned seen = atomicCAS(word, now, now | 1u << bit);
            if (seen == now) { got = ((t + tries) & 63) * 32 + bit; break; }
            now = seen;
        }
    }
    out[t] = got;
}

// nothing: bump
extern "C" __global__ void bump(unsigned *top, const unsigned *sizes, unsigned limit, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, size = sizes[t], at = *(volatile unsigned *)top;
    for (;;) {
        unsigned end = (at + 15 & ~15u) + size;
        if (end > limit) { at = 0xffffffffu; break; }
        unsigned seen = atomicCAS(top, at, end);
        if (seen == at) break;
        at = seen;
    }
    out[t] = at;
}

// nothing: handles
// A handle is a number and the generation that it belongs to.
extern "C" __global__ void handles(unsigned long long *free_list, const unsigned *next, unsigned long long *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long now = *(volatile unsigned long long *)free_list, later;
    for (;;) {
        unsigned index = (unsigned)now, generation = (unsigned)(now >> 32);
        if (index == 0xffffffffu) break;
        later = (unsigned long long)(generation + 1) << 32 | ((volatile const unsigned *)next)[index];
        unsigned long long seen = atomicCAS(free_list, now, later);
        if (seen == now) break;
        now = seen;
    }
    out[t] = now;
}

// nothing: split_counter
// The cell of a split counter that is not fought for is looked for, a few times.
extern "C" __global__ void split_counter(unsigned *cells, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, cell = t & 15, tries = 0;
    for (;;) {
        unsigned now = *(volatile unsigned *)&cells[cell];
        if (atomicCAS(&cells[cell], now, now + 1) == now) break;
        if (++tries == 8) { atomicAdd(&cells[cell], 1); break; }
        cell = (cell + 1) & 15;
    }
    out[t] = tries;
}

// nothing: max_register
extern "C" __global__ void max_register(unsigned *largest, const unsigned *in, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, mine = in[t], now = *(volatile unsigned *)largest;
    while (now < mine) {
        unsigned seen = atomicCAS(largest, now, mine);
        if (seen == now) break;
        now = seen;
    }
    out[t] = now;
}

// nothing: breadth_first
// Vertices are claimed for the next level.
extern "C" __global__ void breadth_first(const int *first, const int *edges, int *level, int *frontier, int *size, int now, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != now) return;
    for (int e = first[v]; e < first[v + 1]; ++e) {
        int to = edges[e];
        if (atomicCAS(&level[to], -1, now + 1) == -1) frontier[atomicAdd(size, 1)] = to;
    }
}

// nothing: relax
// A shorter distance is written, unless somebody has found one that is shorter still.
extern "C" __global__ void relax(float *distance, const int *to, const float *length, int *changed) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *cell = (int *)&distance[to[t]], now = *(volatile int *)cell;
    float mine = length[t];
    while (mine < __int_as_float(now)) {
        int seen = atomicCAS(cell, now, __float_as_int(mine));
        if (seen == now) { *changed = 1; break; }
        now = seen;
    }
}

// nothing: slab
// A claim of one of the lanes of a slab, and of the next slab where that is full.
extern "C" __global__ void slab(unsigned *slabs, const unsigned *keys, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t], at = (key & 31) * 32;
    unsigned end = at + 32;
    for (; at < end; ++at) {
        unsigned old = atomicCAS(&slabs[at], 0xffffffffu, key);
        if (old == 0xffffffffu || old == key) break;
    }
    out[t] = at;
}

// found: spin_lock
extern "C" __global__ void spin_lock(int *lock, int *out) {
    while (atomicCAS(lock, 0, 1) != 0);
    *(volatile int *)out = *(volatile int *)out + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// found: stale
// What is expected was read before the loop, and is not read again: only who writes it back sets this lane free.
extern "C" __global__ void stale(int *cell, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, was = *(volatile int *)cell;
    while (atomicCAS(cell, was, t) != was);
    out[t] = 1;
    __threadfence();
    atomicExch(cell, was);
}

// found: other_place
// What is read and what is swapped are two words, which somebody has to make equal.
extern "C" __global__ void other_place(int *wanted, int *cell, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, want;
    do want = *(volatile int *)wanted; while (atomicCAS(cell, want, t) != want);
    out[t] = 1;
    __threadfence();
    atomicExch(cell, *(volatile int *)wanted);
}
