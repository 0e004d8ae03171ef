// Loops that keep what they have found, and where, from one round to the next: in an array of their own, or in registers.

typedef unsigned long long u64;

// Has the compiler keep an array in memory.
#define KEPT(array) asm volatile("" : : "l"(array) : "memory")

// assumed: one_place
// The place is in a register and in its own memory; where it goes on, it is changed in both.
extern "C" __global__ void one_place(u64 *node, unsigned a, int *out) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned at = a + threadIdx.x;
    own[0] = at;
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own[0]], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own[0] = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// found: another_place
// Where it goes on, one of the two stays what it was: what was read at one place is wanted at the other one.
extern "C" __global__ void another_place(u64 *node, unsigned a, int *out) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned at = a + threadIdx.x;
    own[0] = at;
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own[0]], word, word + 2) == word) break;
        if (word & 1) own[0] = (unsigned)(word >> 1);
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// found: place_of_two_ways
// The two are alike on one of two ways to the loop.
extern "C" __global__ void place_of_two_ways(u64 *node, unsigned a, int *out, int n) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned at = a + threadIdx.x;
    own[0] = a;
    if (n > 3) {
        out[n] = 1;
        own[0] = at;
    }
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own[0]], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own[0] = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// found: place_of_the_other_way
// The same on the other one of the two ways.
extern "C" __global__ void place_of_the_other_way(u64 *node, unsigned a, int *out, int n) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned at = a + threadIdx.x;
    own[0] = at;
    if (n > 3) {
        out[n] = 1;
        own[0] = a;
    }
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own[0]], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own[0] = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// found: not_so_at_first
// Each round leaves its own number as the last one, or changes nothing: it begins with another one.
extern "C" __global__ void not_so_at_first(volatile unsigned *flag, int *out) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned last = threadIdx.x + 2;
    own[0] = 1;
    while (true) {
        unsigned now = *flag;
        if (own[0] == last) break;
        if (now) {
            own[0] = now;
            last = now;
        }
    }
    out[threadIdx.x] = 1;
    *flag = 1;
}

// found: so_on_one_way
// Its own number is the last one on one of two ways to the loop.
extern "C" __global__ void so_on_one_way(volatile unsigned *flag, int *out, int n) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned last = threadIdx.x + 2;
    own[0] = 1;
    if (n > 3) {
        out[n] = 1;
        own[0] = last;
    }
    while (true) {
        unsigned now = *flag;
        if (own[0] == last) break;
        if (now) {
            own[0] = now;
            last = now;
        }
    }
    out[threadIdx.x] = 1;
    *flag = 1;
}

// found: not_so_any_more
// It begins so, but who loses the swap waits for a flag.
extern "C" __global__ void not_so_any_more(volatile unsigned *flag, unsigned *word, int *out) {
    volatile unsigned own[1];
    KEPT(own);
    unsigned last = threadIdx.x + 2;
    own[0] = last;
    while (true) {
        if (own[0] == last) {
            unsigned old = *(volatile unsigned *)word;
            if (atomicCAS(word, old, old + 1) == old) break;
            last = 0;
        } else if (*flag) {
            last = own[0];
        }
    }
    out[threadIdx.x] = 1;
    *flag = 1;
}

// found: a_word_that_others_see
// What it has stored there before, others take back until they are behind the loop.
extern "C" __global__ void a_word_that_others_see(volatile unsigned *word, int *out) {
    word[0] = 1;
    while (word[0] != 1) {}
    word[0] = 0;
    out[threadIdx.x] = 1;
    word[0] = 1;
}

// found: places_begin_apart
// The same in registers: where the word is even, both stay what they were, and what was read at one place is wanted at the other one.
extern "C" __global__ void places_begin_apart(u64 *node, unsigned a, int *out) {
    unsigned at = a + threadIdx.x, own = a;
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// found: places_begin_apart_on_one_way
extern "C" __global__ void places_begin_apart_on_one_way(u64 *node, unsigned a, int *out, int n) {
    unsigned at = a + threadIdx.x, own = a;
    if (n > 3) {
        out[n] = 1;
        own = at;
    }
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}

// assumed: places_begin_alike
extern "C" __global__ void places_begin_alike(u64 *node, unsigned a, int *out) {
    unsigned at = a + threadIdx.x, own = at;
    while (true) {
        u64 word = *(volatile u64 *)&node[at];
        if (atomicCAS(&node[own], word, word + 2) == word) break;
        if (word & 1) {
            at = (unsigned)(word >> 1);
            own = at;
        }
    }
    out[threadIdx.x] = at;
    node[a] = 0;
}
