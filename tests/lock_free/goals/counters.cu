// Loops with counters, steps and swaps that seem to bound them and do not: each waits for what lane 0 stores.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part; b[5] and the like are zero.

typedef unsigned long long Word;

// found: counter_wraps
// A counter that is cut to three bits never reaches its bound.
__device__ unsigned flag_a;
extern "C" __global__ void counter_wraps(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned i = 0; i < n; i = (i + 1) & 7) {
            if (*(volatile unsigned *)&flag_a != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_a, 1);
    }
}

// found: step_is_parameter
// A counter that grows by a number from a buffer, which is zero.
__device__ unsigned flag_b;
extern "C" __global__ void step_is_parameter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned step = a[5];
        for (unsigned i = 0; i < n; i += step) {
            if (*(volatile unsigned *)&flag_b != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_b, 1);
    }
}

// found: odd_minus_two
// An odd counter loses two a round and is compared with zero.
__device__ unsigned flag_c;
extern "C" __global__ void odd_minus_two(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned i = n | 1; i != 0; i -= 2) {
            if (*(volatile unsigned *)&flag_c != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_c, 1);
    }
}

// found: float_counter
// A counter of floats: from 2^24 on, one more is the same number.
__device__ unsigned flag_d;
extern "C" __global__ void float_counter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (float f = 16777216.0f; f < 1e9f; f += 1.0f) {
            if (*(volatile unsigned *)&flag_d != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_d, 1);
    }
}

// found: doubled_zero
// A number that is doubled a round begins at zero.
__device__ unsigned flag_e;
extern "C" __global__ void doubled_zero(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned i = a[6]; i < 100; i *= 2) {
            if (*(volatile unsigned *)&flag_e != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_e, 1);
    }
}

// found: bit_that_is_not_set
// A bit is cleared a round, but it is not one of those that are set.
__device__ unsigned flag_f;
extern "C" __global__ void bit_that_is_not_set(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned bits = 6; bits != 0; bits &= ~(1u << (a[7] & 31))) {
            if (*(volatile unsigned *)&flag_f != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_f, 1);
    }
}

// found: shift_of_zero
// An index is shifted by a number from a buffer, which is zero.
__device__ unsigned flag_g;
extern "C" __global__ void shift_of_zero(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned i = 64, by = a[8]; i != 0; i >>= by) {
            if (*(volatile unsigned *)&flag_g != 0) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&flag_g, 1);
    }
}

// found: maximum_below
// atomicMax of 5 does not reach 10.
__device__ unsigned word_i;
extern "C" __global__ void maximum_below(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while (atomicMax(&word_i, 5) < 10) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&word_i, 100);
    }
}

// found: ticket_of_zero
// Fetch and add of a number from a buffer, which is zero.
__device__ unsigned word_j;
extern "C" __global__ void ticket_of_zero(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned step = a[9];
        while (atomicAdd(&word_j, step) < 10) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&word_j, 100);
    }
}

// found: swap_the_same
// The swap of what was just read changes nothing; the loop is left by a large number.
__device__ unsigned word_l;
extern "C" __global__ void swap_the_same(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned old = *(volatile unsigned *)&word_l;
            if (atomicCAS(&word_l, old, old) == old && old >= 10) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&word_l, 100);
    }
}

// found: old_is_replaced
// What the swap saw is compared with another word.
__device__ unsigned word_m, other_m = 7;
extern "C" __global__ void old_is_replaced(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned old = *(volatile unsigned *)&word_m, seen = atomicCAS(&word_m, old, old);
            old = *(volatile unsigned *)&other_m;
            if (seen == old) break;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&word_m, 7);
    }
}

// found: two_elements
// Two reads must agree, of elements whose indices come from a buffer and differ.
__device__ unsigned pair_n[2] = {0, 1};
extern "C" __global__ void two_elements(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned i = a[10], j = a[11] + 1;
        while (*(volatile unsigned *)&pair_n[i & 1] != *(volatile unsigned *)&pair_n[j & 1]) {}
        atomicAdd(b, 1);
    } else {
        atomicExch(&pair_n[0], 1);
    }
}

// found: bits_come_back
// The lowest bit is cleared a round, but the set is loaded again while it is not the one that is waited for.
__device__ unsigned set_o = 6;
extern "C" __global__ void bits_come_back(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned bits = *(volatile unsigned *)&set_o;
        while (bits != 0) {
            bits &= bits - 1;
            if (bits == 0) bits = *(volatile unsigned *)&set_o;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&set_o, 0);
    }
}

// found: helper_of_another
// Whoever sees an operation completes another word, not the one that stands in the way.
__device__ unsigned word_p = 2, other_p = 2;
extern "C" __global__ void helper_of_another(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned d = *(volatile unsigned *)&word_p;
            if (d == 0) break;
            atomicCAS(&other_p, d, 0);
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&word_p, 0);
    }
}

// found: bound_moves_with_counter
// Catches up with a number that it moves on itself.
__device__ unsigned head_r, tail_r = 5, stop_r;
extern "C" __global__ void bound_moves_with_counter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        while (*(volatile unsigned *)&tail_r > *(volatile unsigned *)&head_r && *(volatile unsigned *)&stop_r == 0) {
            atomicAdd(&head_r, 1);
            atomicAdd(&tail_r, 1);
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&stop_r, 1);
    }
}

// found: minimum_goes_down
// Goes to the smaller parent, and again from the start as long as the end is not the root that lane 0 makes.
__device__ unsigned parent_s[64], root_s = 9;
extern "C" __global__ void minimum_goes_down(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        for (unsigned at = 3;;) {
            unsigned up = *(volatile unsigned *)&parent_s[at];
            if (up < at) {
                at = up;
                continue;
            }
            if (at == *(volatile unsigned *)&root_s) break;
            at = 3;
        }
        atomicAdd(b, 1);
    } else {
        atomicExch(&root_s, 0);
    }
}
