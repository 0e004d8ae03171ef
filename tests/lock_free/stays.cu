// Loops in which something moves on only once another lane has done something, and stays what it is until then: a value that is expected, or a place in a list.

__device__ unsigned look(const volatile unsigned *at) { return *at; }

// found: expected_once_the_flag_is_up
// The word is what the lane expects as soon as the lane takes over what it has read; that is when the flag is up.
extern "C" __global__ void expected_once_the_flag_is_up(unsigned *words, unsigned *out) {
    unsigned seen, expected = 7;
    if (threadIdx.x == 0) {
        while ((seen = look(&words[0])) != expected) expected = look(&words[1]) ? seen : expected;
        out[0] = expected;
    } else {
        atomicExch(&words[1], 1);
    }
}

// found: ticket_by_a_choice
// The turn of the lane is the number that it waits for, by a choice that keeps it until then.
extern "C" __global__ void ticket_by_a_choice(unsigned *turn, unsigned *out) {
    unsigned mine = atomicAdd(&turn[0], 1) + 100, seen;
    while ((seen = look(&turn[1])) != mine) mine = seen == mine - 100 ? seen : mine;
    out[0] += 1;
    __threadfence();
    atomicAdd(&turn[1], 1);
}

// found: swap_of_what_is_kept
// The swap fails until the lane takes over what it has found.
extern "C" __global__ void swap_of_what_is_kept(unsigned *words, unsigned *out) {
    unsigned seen, expected = 7;
    if (threadIdx.x == 0) {
        while ((seen = atomicCAS(&words[0], expected, expected + 1)) != expected)
            if (look(&words[1])) expected = seen;
        out[0] = expected;
    } else {
        atomicExch(&words[1], 1);
    }
}

// found: link_read_again
// A marked node is unlinked by who has marked it: until then, the lane reads the same link of the same node again.
extern "C" __global__ void link_read_again(unsigned *next, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned before = 1, at = look(&next[1]) & 255;
        while (at) {
            unsigned link = look(&next[at]);
            if (link & 0x80000000) {
                at = look(&next[before]) & 255;
                continue;
            }
            before = at;
            at = link;
        }
        out[0] = before;
    } else {
        atomicExch(&next[1], 0);
    }
}

// found: back_and_forth
// The lane goes back to where it came from, and returns.
extern "C" __global__ void back_and_forth(unsigned *next, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned at = 5, before = 5;
        while (at) {
            unsigned link = look(&next[at]);
            if ((int)link < 0) link = before;
            before = at;
            at = link;
        }
        out[0] = before;
    } else {
        atomicAnd(&next[2], 0x7fffffff);
    }
}

// found: swap_for_the_same
// Until the flag is up, the swap writes what is there.
extern "C" __global__ void swap_for_the_same(unsigned *next, unsigned *out) {
    if (threadIdx.x == 0) {
        for (;;) {
            unsigned link = look(&next[5]), behind = look(&next[link]);
            if (behind == link) break;
            atomicCAS(&next[5], link, look(&next[9]) ? behind : link);
        }
        out[0] = 1;
    } else {
        atomicExch(&next[9], 1);
    }
}

// found: through_an_array_of_its_own
// The flag goes through one of two places in the memory of the lane, in turn.
extern "C" __global__ void through_an_array_of_its_own(unsigned *flag, unsigned *out) {
    if (threadIdx.x == 0) {
        volatile unsigned own[2];
        unsigned at = 0;
        own[0] = own[1] = 0;
        while (own[at & 1] == 0) {
            at ^= 1;
            own[at] = look(flag);
        }
        out[0] = 1;
    } else {
        atomicExch(flag, 1);
    }
}

// assumed: claims_before_the_walk
// A slot is claimed in the first block before the loop, by the same swap as in it: that lets nobody out.
extern "C" __global__ void claims_before_the_walk(unsigned *blocks, unsigned *fresh, unsigned *out) {
    unsigned mine = threadIdx.x + 1, at = mine & 3;
    for (;;) {
        unsigned *block = blocks + at * 8;
        bool in = false;
        if (atomicCAS(block, 0, mine) == 0) in = true;
        if (in) break;
        unsigned next = look(block + 7);
        if (next == 0) {
            unsigned number = atomicAdd(fresh, 1);
            if (number >= 256) break;
            next = atomicCAS(block + 7, 0, number);
            if (next == 0) next = number;
        }
        at = next;
    }
    out[threadIdx.x] = at;
}

// found: waits_for_a_claim
// The slot has to be claimed by another lane, which it is by the same swap.
extern "C" __global__ void waits_for_a_claim(unsigned *blocks, unsigned *out) {
    unsigned at = threadIdx.x & 3;
    if (threadIdx.x & 1) {
        atomicCAS(blocks + at * 8, 0, threadIdx.x);
    } else {
        while (look(blocks + at * 8) == 0) at = look(blocks + at * 8 + 7);
    }
    out[threadIdx.x] = at;
}

// nothing: counts_one_or_the_other
// Each round counts one of two: their sum comes to its end.
extern "C" __global__ void counts_one_or_the_other(unsigned *words, unsigned *out) {
    unsigned right = 0, down = 0;
    while (right + down < 64) {
        if (atomicAdd(&words[right], 1) == 0) {
            right++;
        } else {
            down++;
        }
    }
    out[threadIdx.x] = right;
}

// found: counts_up_and_down
// What one of the two gains, the other one loses, until the flag is up.
extern "C" __global__ void counts_up_and_down(unsigned *flag, unsigned *out) {
    unsigned right = 0, down = 32;
    if (threadIdx.x == 0) {
        while (right + down < 64) {
            if (look(flag)) {
                right++;
            } else {
                right += 3;
                down -= 3;
            }
        }
        out[0] = right;
    } else {
        atomicExch(flag, 1);
    }
}

// nothing: takes_set_bits
// A copy of the mask loses the bit that the lane asks for, whoever has it.
extern "C" __global__ void takes_set_bits(unsigned *mask, unsigned *out) {
    unsigned left = look(mask), many = 0;
    while (left) {
        unsigned bit = 1u << (31 - __clz(left));
        unsigned was = atomicAnd(mask, ~bit);
        many += (was & bit) != 0;
        left = was & ~bit;
    }
    out[threadIdx.x] = many;
}

// found: waits_for_a_bit
// The bit has to come from another lane.
extern "C" __global__ void waits_for_a_bit(unsigned *mask, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned left = look(mask), was;
        do {
            unsigned bit = 1u << (31 - __clz(left | 1));
            was = atomicAnd(mask, ~bit);
            left = was & ~bit;
        } while (!(was & 16));
        out[0] = was;
    } else {
        atomicOr(mask, 16);
    }
}

// nothing: repairs_hints
// A bit of the first word says that a word behind may have something; who finds nothing there clears it. Places in 64 bits are turned by two shifts.
extern "C" __global__ void repairs_hints(unsigned long long *hint, unsigned long long *words, unsigned *out) {
    unsigned long long hints;
    while ((hints = *(volatile unsigned long long *)hint) != 0) {
        int at = __ffsll(hints) - 1;
        unsigned long long found = *(volatile unsigned long long *)&words[at];
        if (found == 0) {
            atomicAnd(hint, ~(1ull << at));
            continue;
        }
        if (atomicCAS(&words[at], found, found - 1) == found) break;
    }
    out[threadIdx.x] = (unsigned)hints;
}
