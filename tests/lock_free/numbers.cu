// Updates of one word that the hardware has no atomic for: read, compute, compare and swap. Whoever fails has been overtaken by somebody who is done.

// nothing: add_float
extern "C" __global__ void add_float(float *sum, const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *word = (int *)sum, seen, old = *(volatile int *)word;
        do {
            seen = old;
            old = atomicCAS(word, seen, __float_as_int(__int_as_float(seen) + in[i]));
        } while (seen != old);
        out[i] = __int_as_float(old);
    }
}

// nothing: max_double
extern "C" __global__ void max_double(double *largest, const double *in, double *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    auto *word = (unsigned long long *)largest;
    unsigned long long old = *(volatile unsigned long long *)word;
    double mine = in[t];
    while (__longlong_as_double(old) < mine) {
        unsigned long long seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(mine));
        if (old == seen) break;
    }
    out[t] = __longlong_as_double(old);
}

// nothing: add_short
// A half word by way of the whole one.
extern "C" __global__ void add_short(unsigned short *counts, const int *bin, unsigned short *before) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = bin[t];
    unsigned *word = (unsigned *)(counts + (at & ~1));
    unsigned shift = (at & 1) * 16, old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        unsigned sum = ((seen >> shift) + 1) & 0xffff;
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (sum << shift));
    } while (old != seen);
    before[t] = (unsigned short)(old >> shift);
}

// nothing: bounded_decrement
// Takes one of what is there, if there is any.
extern "C" __global__ void bounded_decrement(int *left, int *got) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, old = *(volatile int *)left;
    bool taken = false;
    while (old > 0) {
        int seen = atomicCAS(left, old, old - 1);
        taken = seen == old;
        if (taken) break;
        old = seen;
    }
    got[t] = taken;
}

// nothing: smallest_with_index
extern "C" __global__ void smallest_with_index(unsigned long long *best, const float *in, unsigned *where) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mine = (unsigned long long)__float_as_uint(in[t]) << 32 | t, old = *(volatile unsigned long long *)best, seen;
    do {
        seen = old;
        if (seen <= mine) break;
        old = atomicCAS(best, seen, mine);
    } while (old != seen);
    where[t] = (unsigned)old;
}

// nothing: versioned_update
// Value and version in one word, as load-linked and store-conditional would have it.
extern "C" __global__ void versioned_update(unsigned long long *cell, unsigned *versions) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long now, next;
    do {
        now = *(volatile unsigned long long *)cell;
        unsigned value = (unsigned)now, version = (unsigned)(now >> 32);
        next = (unsigned long long)(version + 1) << 32 | (value * 3 + t);
    } while (atomicCAS(cell, now, next) != now);
    versions[t] = (unsigned)(next >> 32);
}

// nothing: saturating_product
extern "C" __global__ void saturating_product(unsigned *cell, unsigned *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) {
        unsigned now = *(volatile unsigned *)cell, next = now > 0x7fffffffu ? 0xffffffffu : now * 2 + 1;
        if (now == next || atomicCAS(cell, now, next) == now) break;
    }
    out[t] = 1;
}

// found: lock_with_a_far_limit
// Nobody lives to see that many tries.
extern "C" __global__ void lock_with_a_far_limit(int *lock, int *sum) {
    for (unsigned long long tries = 0; tries < 1ull << 60; ++tries)
        if (atomicCAS(lock, 0, 1) == 0) break;
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// nothing: a_few_tries
extern "C" __global__ void a_few_tries(int *lock, int *sum) {
    int got = 0;
    for (int tries = 0; tries < 4000 && !got; ++tries) got = atomicCAS(lock, 0, 1) == 0;
    if (!got) return;
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}
