// Counters that are held against an end that the kernel makes far away in other ways: unrolled by the compiler, from another lane, by an atomic, by a difference, by a loop. All wait for the last lane.

#define SET (*(volatile unsigned *)flag)
#define STANDS (atomicCAS(flag, 1u, 1u) == 0)
#define COMMA ,
#define ELSE(name, tries) \
    extern "C" __global__ void name(unsigned *flag, unsigned *out, unsigned n, unsigned *m) { \
        unsigned t = threadIdx.x; \
        if (t == 31) atomicExch(flag, 1); \
        else { tries } \
        out[t] = 1; \
    }

__constant__ unsigned constant_ends[4] = {0x10000000, 0x20000000, 0x40000000, 0x80000000};
__device__ const unsigned device_ends[4] = {0x10000000, 0x20000000, 0x40000000, 0x80000000};
__constant__ char digits[] = "90000000";

// found: unrolled_up
ELSE(unrolled_up, unsigned i = 0; while (!SET) { i++; if (!(i < 1u << 24)) break; })

// found: unrolled_swaps
ELSE(unrolled_swaps, unsigned i = 0; while (STANDS) { i++; if (!(i < 1u << 24)) break; })

// found: unrolled_down
ELSE(unrolled_down, unsigned i = 1u << 25; while (!SET) { i--; if (i == 0) break; })

// found: unrolled_quotient
ELSE(unrolled_quotient, unsigned i = 0; while (!SET) { i++; if (!(i / 1000 < 20000)) break; })

// found: unrolled_shifted
ELSE(unrolled_shifted, unsigned i = 0; while (!SET) { i++; if (!((i >> 20) < 30)) break; })

// found: unrolled_below_zero
ELSE(unrolled_below_zero, int i = -(1 << 28); while (!SET) { i++; if (!(i < 0)) break; })

// found: unrolled_by_hand
ELSE(unrolled_by_hand, for (unsigned i = 0; i < 1u << 25; i += 8) if (SET || SET || SET || SET || SET || SET || SET || SET) break;)

// found: unrolled_with_sleep
ELSE(unrolled_with_sleep, unsigned i = 0; while (!SET) { __nanosleep(20); i++; if (!(i < 20000000u)) break; })

// found: from_another_lane
ELSE(from_another_lane, unsigned e = __shfl_sync(0x7fffffff COMMA t == 0 ? 1u << 28 : 3u COMMA 0); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: from_the_partner
ELSE(from_the_partner, unsigned e = __shfl_xor_sync(0x7fffffff COMMA t << 24 COMMA 1); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: one_before
ELSE(one_before, for (unsigned i = 0; i < t - 1; i++) if (SET) break;)

// found: three_before
ELSE(three_before, unsigned e = (t & 7) - 3; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: block_before
ELSE(block_before, for (unsigned i = 0; i < blockIdx.x - 1; i++) if (SET) break;)

// found: ones_before
ELSE(ones_before, unsigned e = __popc(t) - 3u; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: first_bit_before
ELSE(first_bit_before, unsigned e = __ffs(t) - 1u; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: remainder_below_zero
ELSE(remainder_below_zero, unsigned e = (int)(t - 5) % 7; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: short_below_zero
ELSE(short_below_zero, unsigned e = (short)(t << 11); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: not_of_a_comparison
ELSE(not_of_a_comparison, unsigned e = 10u + (-(unsigned)(t == 7) & 0x10000000u); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: ones_shifted
ELSE(ones_shifted, unsigned e = 1u << (__popc(n) % 8 + 24); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: zeros_shifted
ELSE(zeros_shifted, unsigned e = 1u << (31 - __clz(t + 0x1000000u)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: shifted_back
ELSE(shifted_back, unsigned e = (unsigned)((1ull << (t + 20)) >> 10); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: given_and_more
ELSE(given_and_more, unsigned e = (n & 0xff) + 20000000u; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: by_exchange
ELSE(by_exchange, unsigned e = (atomicExch(m + t COMMA 1u << 27) COMMA atomicAdd(m + t COMMA 0)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: by_maximum
ELSE(by_maximum, unsigned e = (atomicMax(m + t COMMA 1u << 28) COMMA atomicMax(m + t COMMA 0)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: by_store_and_swap
ELSE(by_store_and_swap, unsigned e = (m[t] = 1u << 28 COMMA atomicCAS(m + t COMMA 0 COMMA 1)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: in_constant_array
ELSE(in_constant_array, unsigned e = constant_ends[t & 3]; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: in_device_array
ELSE(in_device_array, unsigned e = device_ends[t & 3]; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: in_digits
ELSE(in_digits, unsigned e = 0; for (int k = 0; k < 8; k++) e = e * 10 + (digits[k] - '0'); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: other_half
ELSE(other_half, unsigned long long w = 1ull << 57; for (; (unsigned)w < (unsigned)(w >> 32); w++) if (SET) break;)

// found: behind_a_pointer
ELSE(behind_a_pointer, const char *p = (const char *)out COMMA *e = p + (1 << 26); for (; p != e; p++) if (SET) break;)

// assumed: by_floats
ELSE(by_floats, unsigned e = (unsigned)exp2f((float)(24 + (t & 3))); for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: bits_of_floats
ELSE(bits_of_floats, unsigned e = __float_as_uint((float)(t + 1)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: by_doubling
ELSE(by_doubling, unsigned e = 1; for (unsigned k = 0; k < (n & 7) + 24; k++) e <<= 1; for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: by_powers
ELSE(by_powers, unsigned e = 1 COMMA q = 3; for (unsigned k = t; k; k >>= 1) { if (k & 1) e *= q; q *= q; } for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: down_from_powers
ELSE(down_from_powers, unsigned e = 1; for (unsigned k = 0; k < t; k++) e = e * 3 + 1; for (; e > 0; e--) if (SET) break;)

// assumed: by_floats_in_memory
ELSE(by_floats_in_memory, m[t] = (unsigned)exp2f((float)(24 + (t & 3))); unsigned e = ((volatile unsigned *)m)[t]; for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: turns_around
ELSE(turns_around, unsigned i = t; while (!SET) { i = i * 1664525u + 1013904223u; if (i == t) break; })

// found: by_steps_of_zero
ELSE(by_steps_of_zero, unsigned i = 0; while (!SET) { i += t & 1; if (!(i < 100)) break; })

// found: sum_of_lanes
ELSE(sum_of_lanes, unsigned e = __reduce_add_sync(0x7fffffff, 1u << 23); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: sum_in_shared_memory
ELSE(sum_in_shared_memory, __shared__ unsigned sum; sum = 0; __syncwarp(0x7fffffff); atomicAdd(&sum, 1u << 23); __syncwarp(0x7fffffff); unsigned e = *(volatile unsigned *)&sum; for (unsigned i = 0; i < e; i++) if (!STANDS) break;)

// found: less_than_stored
ELSE(less_than_stored, __shared__ volatile unsigned five; five = 5; __syncwarp(0x7fffffff); unsigned e = five - 6u; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: to_an_address
ELSE(to_an_address, __shared__ unsigned here; unsigned long long e = (unsigned long long)&here; for (unsigned long long i = 0; i < e; i++) if (!STANDS) break;)

// found: to_an_outer_counter
ELSE(to_an_outer_counter, for (unsigned k = 0; k < 16384; k++) for (unsigned i = 0; i < k; i++) if (SET) goto out; out:;)

// found: bits_of_a_word
ELSE(bits_of_a_word, struct { unsigned low : 3; unsigned high : 29; } s; s.low = t; s.high = 1u << 28; unsigned e = s.high; for (unsigned i = 0; i < e; i++) if (SET) break;)

// assumed: bytes_in_shared_memory
ELSE(bytes_in_shared_memory, __shared__ volatile unsigned char bytes[4]; bytes[3] = 1; __syncwarp(0x7fffffff); unsigned e = *(volatile unsigned *)bytes; for (unsigned i = 0; i < e; i++) if (SET) break;)

namespace {
__noinline__ __device__ unsigned twice(int n) { return n ? 2 * twice(n - 1) : 1; }
}

// assumed: by_recursion
ELSE(by_recursion, unsigned e = twice(t + 28); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: not_of_a_parameter
ELSE(not_of_a_parameter, unsigned e = ~n; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: two_less_than_a_bit
ELSE(two_less_than_a_bit, unsigned e = (n & 1) - 2; for (unsigned i = 0; i < e; i++) if (SET) break;)
