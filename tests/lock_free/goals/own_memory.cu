// Loops that keep what they have found, and where, in an array of their own from one round to the next.

typedef unsigned long long u64;

__device__ __forceinline__ u64 read(u64 *node, unsigned at) { return *(volatile u64 *)&node[at]; }

__device__ __forceinline__ void root(u64 *node, unsigned *at, u64 *word) {
    while ((unsigned)(*word = read(node, *at)) != *at) *at = (unsigned)*word;
}

// Links the root of less rank below the other one, and makes that one's rank greater if they are the same.
__device__ __forceinline__ bool link(u64 *node, unsigned *at, u64 *word, int other) {
    bool is_less = (word[0] >> 32) < (word[1] >> 32) || ((word[0] >> 32) == (word[1] >> 32) && at[0] < at[1]);
    int less = is_less ? 0 : 1;
    u64 wanted = word[less ^ other];
    if (atomicCAS(&node[at[less]], wanted, (wanted >> 32 << 32) | at[1 - less]) != wanted) return false;
    if ((word[0] >> 32) == (word[1] >> 32)) {
        u64 rank = word[1 - less];
        atomicCAS(&node[at[1 - less]], rank, rank + (1ull << 32));
    }
    return true;
}

// assumed: two_roots
// Each of the two words is swapped at the place that it was read at.
extern "C" __global__ void two_roots(u64 *node, unsigned a, unsigned b, int *out) {
    unsigned at[2] = {a + threadIdx.x, b + threadIdx.x};
    u64 word[2];
    while (true) {
        root(node, &at[0], &word[0]);
        root(node, &at[1], &word[1]);
        if (at[0] == at[1] || link(node, at, word, 0)) break;
    }
    out[threadIdx.x] = at[0];
    node[at[1]] = word[1];
}

// found: roots_of_which_one_is_old
// One word was read before the loop: who loses it once waits until it is that again.
extern "C" __global__ void roots_of_which_one_is_old(u64 *node, unsigned a, unsigned b, int *out) {
    unsigned at[2] = {a + threadIdx.x, b + threadIdx.x};
    u64 word[2];
    word[1] = read(node, at[1]);
    while (true) {
        root(node, &at[0], &word[0]);
        if (at[0] == at[1] || link(node, at, word, 0)) break;
    }
    out[threadIdx.x] = at[0];
    node[at[1]] = word[1];
}

// found: roots_that_are_mixed_up
// What was read at one place is wanted at the other one.
extern "C" __global__ void roots_that_are_mixed_up(u64 *node, unsigned a, unsigned b, int *out) {
    unsigned at[2] = {a + threadIdx.x, b + threadIdx.x};
    u64 word[2];
    while (true) {
        root(node, &at[0], &word[0]);
        root(node, &at[1], &word[1]);
        if (at[0] == at[1] || link(node, at, word, 1)) break;
    }
    out[threadIdx.x] = at[0];
    node[at[1]] = word[1];
}

// found: root_that_goes_on
// One of the places goes on behind the read.
extern "C" __global__ void root_that_goes_on(u64 *node, unsigned a, unsigned b, int *out) {
    unsigned at[2] = {a + threadIdx.x, b + threadIdx.x};
    u64 word[2];
    while (true) {
        root(node, &at[0], &word[0]);
        root(node, &at[1], &word[1]);
        if (word[1] >> 63) at[1] = b;
        if (at[0] == at[1] || link(node, at, word, 0)) break;
    }
    out[threadIdx.x] = at[0];
    node[at[1]] = word[1];
}
