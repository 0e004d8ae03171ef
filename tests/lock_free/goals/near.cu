// Loops that are one step away from a lock-free form and wait.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned word1, word2, word3, word4, word5, word6, word7, word8, word9, word10, word11, word12, word13, word14, word15, word16, word17, word18, word19;
__device__ unsigned gate1, gate2, gate3, gate4, gate5, gate6, gate7, gate8, left9, right9 = 1, left10, right10 = 1;
__device__ unsigned slots1[4], slots2[8], slots3[4], slots4[4], slots7[4], slots8[4], parent_of[64];
__device__ __align__(16) unsigned slots5[4], slots6[4];
__device__ float sum_of_floats = __builtin_nanf("");
__device__ unsigned *hidden_pointer = &word9;

// found: swap_then_old_value
// The swap of what was just read always succeeds, but only the lane that saw 0 leaves.
extern "C" __global__ void swap_then_old_value(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned old;
    do {
        old = *(volatile unsigned *)&word1;
    } while (atomicCAS(&word1, old, 1) != 0);
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&word1, 0);
}

// found: swap_then_gate
// The swap succeeds alone, but the loop is left only when a gate is open, which lane 0 opens.
extern "C" __global__ void swap_then_gate(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned old = *(volatile unsigned *)&word2;
            if (atomicCAS(&word2, old, old + 1) == old && *(volatile unsigned *)&gate1 != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&gate1, 1);
    }
}

// found: two_words_equal
// Two reads must agree, but they are of different words; lane 0 makes them equal.
extern "C" __global__ void two_words_equal(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while (*(volatile unsigned *)&left9 != *(volatile unsigned *)&right9) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&left9, 1);
    }
}

// found: swap_of_another_word
// Reads one word, compares and swaps another one.
extern "C" __global__ void swap_of_another_word(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned old;
        do {
            old = *(volatile unsigned *)&left10;
        } while (atomicCAS(&right10, old, old) != old);
        atomicAdd(b, 1);
    } else {
        atomicExch(&left10, 1);
    }
}

// found: counter_reset
// A loop with a counter that is set back while a flag is zero.
extern "C" __global__ void counter_reset(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (int i = 0; i < 10; ++i) {
            if (*(volatile unsigned *)&gate2 == 0) i = 0;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&gate2, 1);
    }
}

// found: counter_step_from_memory
// A counter that grows by what memory holds, which is zero until lane 0 writes it.
extern "C" __global__ void counter_step_from_memory(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned i = 0; i < 10; i += *(volatile unsigned *)&gate3 & 1) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&gate3, 1);
    }
}

// found: bound_follows
// The counter grows by one a round, and so does its bound, which the loop itself raises until lane 0 says stop.
extern "C" __global__ void bound_follows(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned bound = 1;
        for (unsigned i = 0; i < bound; ++i) bound += *(volatile unsigned *)&gate4 == 0;
        atomicAdd(b, 1);
    } else {
        atomicExch(&gate4, 1);
    }
}

// found: shift_by_memory
// An index that is halved only when a flag is set.
extern "C" __global__ void shift_by_memory(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned i = 512;
        while (i != 0) i >>= *(volatile unsigned *)&gate5 & 1;
        atomicAdd(b, 1);
    } else {
        atomicExch(&gate5, 1);
    }
}

// found: scan_again
// Each scan over four slots is bounded, but the scan is repeated until a slot is free; slots are given back behind the loop.
extern "C" __global__ void scan_again(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    int mine = -1;
    while (mine < 0) {
        for (int i = 0; i < 4 && mine < 0; ++i) {
            if (atomicCAS(&slots1[i], 0, threadIdx.x + 1) == 0) mine = i;
        }
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&slots1[mine], 0);
}

// found: claim_each_round
// Slots are claimed and given back in an outer loop, so that the release stands before the next claim.
extern "C" __global__ void claim_each_round(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (int round = 0; round < 3; ++round) {
        unsigned slot = threadIdx.x & 3;
        while (atomicCAS(&slots3[slot], 0, 1) != 0) slot = (slot + 1) & 3;
        atomicAdd(b, 1);
        __threadfence();
        atomicExch(&slots3[slot], 0);
    }
}

// found: release_by_byte
// A slot of four bytes is given back by a store of its lowest byte.
extern "C" __global__ void release_by_byte(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned slot = threadIdx.x & 3;
    while (atomicCAS(&slots4[slot], 0, 1) != 0) slot = (slot + 1) & 3;
    atomicAdd(b, 1);
    __threadfence();
    *(volatile unsigned char *)&slots4[slot] = 0;
}

// found: release_by_pair
// A slot is given back with its neighbour by an atomic of 64 bits.
extern "C" __global__ void release_by_pair(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned slot = threadIdx.x & 3;
    while (atomicCAS(&slots5[slot], 0, 1) != 0) slot = (slot + 1) & 3;
    atomicAdd(b, 1);
    __threadfence();
    Word *pair = (Word *)&slots5[slot & 2];
    atomicAnd(pair, slot & 1 ? 0xffffffffull : 0xffffffffull << 32);
}

// found: release_by_red
// A slot is given back by a reduction in inline PTX.
extern "C" __global__ void release_by_red(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned slot = threadIdx.x & 3;
    while (atomicCAS(&slots6[slot], 0, 1) != 0) slot = (slot + 1) & 3;
    atomicAdd(b, 1);
    asm volatile("red.release.gpu.global.and.b32 [%0], 0;" :: "l"(__cvta_generic_to_global(&slots6[slot])) : "memory");
}

// found: release_by_function
// A slot is given back by a function that is not inlined and gets a pointer.
__device__ __noinline__ void give_back(unsigned *slot) {
    __threadfence();
    atomicExch(slot, 0);
}
extern "C" __global__ void release_by_function(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned slot = threadIdx.x & 3;
    while (atomicCAS(&slots7[slot], 0, 1) != 0) slot = (slot + 1) & 3;
    atomicAdd(b, 1);
    give_back(&slots7[slot]);
}

// found: release_by_pointer_in_memory
// The word that is waited for is set through a pointer that lies in memory.
extern "C" __global__ void release_by_pointer_in_memory(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while (atomicCAS(&word9, 1, 1) != 1) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(hidden_pointer, 1);
    }
}

// found: add_nothing
// Fetch and add of zero against a bound: it only looks like a ticket.
extern "C" __global__ void add_nothing(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while (atomicAdd(&word10, 0) < 10) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&word10, 10);
    }
}

// found: add_even
// Fetch and add of two goes round until the number is odd, which lane 0 makes it.
extern "C" __global__ void add_even(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while ((atomicAdd(&word11, 2) & 1) == 0) {}
        atomicAdd(b, 1);
    } else {
        atomicAdd(&word11, 1);
    }
}

// found: ticket_limited
// Tickets against a bound, but each round that is too early gives its ticket back.
extern "C" __global__ void ticket_limited(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned ticket = atomicAdd(&word12, 1);
            if (ticket >= 1000) break;
            atomicSub(&word12, 1);
        }
        atomicAdd(b, 1);
    } else {
        atomicAdd(&word12, 100000);
    }
}

// found: help_that_does_not
// Looks like helping: whoever sees the mark swaps, but what it writes has the mark again.
extern "C" __global__ void help_that_does_not(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (;;) {
        unsigned x = *(volatile unsigned *)&word13;
        if (x & 1) {
            atomicCAS(&word13, x, x);
            continue;
        }
        if (atomicCAS(&word13, x, x | 1) == x) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicAnd(&word13, ~1u);
}

// found: help_only_old
// Helping of operations with a number below 1000 only: others are waited for.
extern "C" __global__ void help_only_old(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (;;) {
        unsigned d = *(volatile unsigned *)&word14;
        if (d != 0) {
            if (d < 1000) atomicCAS(&word14, d, 0);
            continue;
        }
        if (atomicCAS(&word14, 0, threadIdx.x + 1000) == 0) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&word14, 0);
}

// found: float_sum_nan
// A sum by compare and swap that compares floats: a lane never leaves while the sum is not a number, until lane 0 sets it to 0.
extern "C" __global__ void float_sum_nan(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        float old = *(volatile float *)&sum_of_floats, assumed;
        do {
            assumed = old;
            old = __uint_as_float(atomicCAS((unsigned *)&sum_of_floats, __float_as_uint(assumed), __float_as_uint(assumed + 1.0f)));
        } while (old != assumed);
        atomicAdd(b, 1);
    } else {
        atomicExch(&sum_of_floats, 0.0f);
    }
}

// assumed: wait_for_root
// Goes to the parent until it is a root; a ring of two is broken by lane 0.
extern "C" __global__ void wait_for_root(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x < 2) atomicExch(&parent_of[threadIdx.x], 1 - threadIdx.x);
    __syncthreads();
    if (threadIdx.x != 0) {
        unsigned at = threadIdx.x & 1, parent;
        while ((parent = *(volatile unsigned *)&parent_of[at]) != at) at = parent;
        atomicAdd(b, 1);
    } else {
        atomicExch(&parent_of[0], 0);
    }
}

// found: half_read
// Reads the low half of a word, compares and swaps the whole: the high half must be zero, which lane 0 makes it.
__device__ Word wide_word = 1ull << 40;
extern "C" __global__ void half_read(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        Word low;
        do {
            low = *(volatile unsigned *)&wide_word;
        } while (atomicCAS(&wide_word, low, low + 1) != low);
        atomicAdd(b, 1);
    } else {
        atomicAnd(&wide_word, 0xffffffffull);
    }
}

// found: stale_read
// The word is read once before the loop, the swap always expects that: only lane 0 brings the old number back.
extern "C" __global__ void stale_read(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned old = *(volatile unsigned *)&word15 & 0;
    if (threadIdx.x == 0) atomicExch(&word15, 5);
    __syncthreads();
    if (threadIdx.x != 0) {
        while (atomicCAS(&word15, old, old) != old) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&word15, 0);
    }
}

// found: first_of_all_slots
// All slots are taken by lane 0 at the start; a probe goes round with a read before the claim, and lane 0 frees one.
extern "C" __global__ void first_of_all_slots(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x < 4) atomicExch(&slots8[threadIdx.x], 99);
    __syncthreads();
    if (threadIdx.x != 0) {
        unsigned slot = threadIdx.x & 3;
        for (;;) {
            unsigned seen = *(volatile unsigned *)&slots8[slot];
            if (seen == 0) seen = atomicCAS(&slots8[slot], 0, 7);
            if (seen == 0 || seen == 7) break;
            slot = (slot + 1) & 3;
        }
        atomicAdd(b, 1);
    } else {
        atomicSub(&slots8[2], 99);
    }
}
