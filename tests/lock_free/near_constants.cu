// The same forms as in `aimed/far_constants.cu`, with ends that a lane comes to soon: it tries some times, and waits for nobody.

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

__constant__ unsigned near_ends[2] = {3, 90};

// nothing: near_by_choice
ELSE(near_by_choice, unsigned e[2] = {8u COMMA 3u}; unsigned i = 0; while (i < e[n & 1]) { if (!STANDS) break; i++; })

// nothing: near_alone
ELSE(near_alone, unsigned e[1]; e[0] = 90; unsigned i = 0; while (i < e[0]) { if (!STANDS) break; i++; })

// nothing: near_by_answer
ELSE(near_by_answer, const unsigned e[2] = {0 COMMA 90}; unsigned i = 0; while (i < e[STANDS]) i++;)

// nothing: near_in_struct
ELSE(near_in_struct, struct { unsigned low COMMA high; } r = {0 COMMA 90}; while (r.low < r.high) { if (!STANDS) r.high = r.low; else r.low++; })

// nothing: near_in_all
ELSE(near_in_all, unsigned e[4]; for (int k = 0; k < 4; k++) e[k] = 90 + k; unsigned i = 0; while (i < e[n & 3]) { if (!STANDS) break; i++; })

// nothing: near_by_bits
ELSE(near_by_bits, unsigned i = 0 COMMA e = m[t] | 1; while (i < e) { if (!STANDS) break; i++; })

// nothing: near_by_bits_in_array
ELSE(near_by_bits_in_array, unsigned e[2] = {m[t] | 1 COMMA 0}; unsigned i = 0; while (i < e[n >> 31]) { if (!STANDS) break; i++; })

// nothing: near_shared
ELSE(near_shared, __shared__ unsigned s[32]; s[t] = 90; unsigned i = 0; while (i < s[t]) { if (!STANDS) break; i++; })

// nothing: near_constant
ELSE(near_constant, unsigned i = 0; while (i < near_ends[n & 1]) { if (!STANDS) break; i++; })

// nothing: near_start
ELSE(near_start, unsigned i = n & 1 ? 80 : 9; while (i) { if (!STANDS) break; i--; })

// nothing: near_not_equal
ELSE(near_not_equal, unsigned i = 0 COMMA e = n & 1 ? 80 : 9; while (i != e) { if (!STANDS) break; i++; })

// nothing: near_greatest
ELSE(near_greatest, unsigned i = 0 COMMA e = max(m[t], 1u << 3); while (i < e) { if (!STANDS) break; i++; })

// nothing: near_reversed
ELSE(near_reversed, unsigned e = __brev(t) >> 24; for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_shifted_down
ELSE(near_shifted_down, unsigned e = ~0u >> (16 + (t & 3)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_turned
ELSE(near_turned, unsigned e = __funnelshift_l(t COMMA 0 COMMA 3); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_of_bytes
ELSE(near_of_bytes, unsigned e = __byte_perm(t COMMA t COMMA 0x4441); for (unsigned i = 0; i < e >> 24; i++) if (SET) break;)

// nothing: near_divided
ELSE(near_divided, unsigned e = ~0u / (t + 0x100000); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_count_of_lanes
ELSE(near_count_of_lanes, unsigned e = __popc(__activemask()); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_packed
ELSE(near_packed, unsigned long long e; asm("mov.b64 %0, {%1, %2};" : "=l"(e) : "r"(t), "r"(0)); for (unsigned long long i = 0; i < e; i++) if (SET) break;)

// nothing: near_least
ELSE(near_least, unsigned e = min(~t COMMA 90u + t); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_behind_start
ELSE(near_behind_start, for (int i = -200 + (int)t; i < 0; i++) if (SET) break;)

// nothing: near_neighbour
ELSE(near_neighbour, if (t > 0) for (unsigned i = 0; i < t - 1; i++) if (SET) break;)

// nothing: near_product
ELSE(near_product, for (unsigned i = 0; i < (t + 1) * 64; i++) if (SET) break;)

// nothing: near_by_size
ELSE(near_by_size, for (unsigned i = 0; i < blockDim.x << 4; i++) if (SET) break;)

// nothing: near_thread
ELSE(near_thread, for (unsigned i = 0; i < blockDim.x * blockIdx.x + t; i++) if (SET) break;)

// nothing: near_before_parameter
ELSE(near_before_parameter, for (unsigned i = 0; i < n - 1; i++) if (SET) break;)

// nothing: near_unrolled
ELSE(near_unrolled, unsigned i = 0; while (!SET) { i++; if (!(i < 1u << 20)) break; })

// nothing: near_from_another_lane
ELSE(near_from_another_lane, unsigned e = __shfl_sync(0x7fffffff COMMA t + 1 COMMA 0); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_ones
ELSE(near_ones, unsigned e = __popc(n); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_zeros_before
ELSE(near_zeros_before, unsigned e = 31 - __clz(n | 1); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_given_before
ELSE(near_given_before, for (unsigned i = 0; i < n - 1; i++) if (SET) break;)

// nothing: near_by_exchange
ELSE(near_by_exchange, unsigned e = (atomicExch(m + t COMMA 90) COMMA atomicAdd(m + t COMMA 0)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_in_array
ELSE(near_in_array, unsigned e = near_ends[t & 1]; for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_counted_before
ELSE(near_counted_before, unsigned e = 0; while (m[e]) e++; for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_by_floats_of_few_bits
ELSE(near_by_floats_of_few_bits, unsigned e = (unsigned)sqrtf((float)n) & 63; for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_in_an_outer_loop
ELSE(near_in_an_outer_loop, for (unsigned k = 0; k < n; k++) { unsigned i = 0; while (i < k && !SET) i++; })

// nothing: near_behind_a_pointer
ELSE(near_behind_a_pointer, const char *p = (const char *)out COMMA *e = p + 1024; while (!SET) { p++; if (p == e) break; })

// nothing: near_rows
ELSE(near_rows, for (unsigned i = m[t]; i < m[t + 1]; i++) if (SET) break;)

// nothing: near_hash
ELSE(near_hash, unsigned e = (t * 2654435761u) % n; for (unsigned i = 0; i < e; i++) if (SET) break;)

// nothing: near_byte
ELSE(near_byte, unsigned char i = 0; while (!SET) { i++; if (i == 0) break; })

// nothing: near_short
ELSE(near_short, unsigned short i = 1; while (STANDS) { i++; if (i == 0) break; })

// nothing: near_ones_of_the_counter
ELSE(near_ones_of_the_counter, unsigned i = 0; while (!SET) { i++; if (!(__popc(i) < 9)) break; })

// nothing: near_first_bit_of_the_counter
ELSE(near_first_bit_of_the_counter, unsigned i = t + 1; while (STANDS) { i++; if (!(__ffs(i) < 10)) break; })

// nothing: near_quotient
ELSE(near_quotient, unsigned i = 0; while (!SET) { i++; if (!(i / 10 < 200)) break; })

// nothing: near_long_steps
ELSE(near_long_steps, unsigned i = 0; while (!SET) { i += 1u << 20; if (!(i < 0x80000000u)) break; })

// nothing: near_steps_of_each_lane
ELSE(near_steps_of_each_lane, unsigned i = 0 COMMA s = (1u << 22) + t; while (STANDS) { i += s; if (!(i < 0x40000000u)) break; })

// nothing: near_twice_and_more
ELSE(near_twice_and_more, unsigned i = 1; while (!SET) { i = 2 * i + 1; if (!(i < 0x40000000u)) break; })

// nothing: near_upper_half
ELSE(near_upper_half, unsigned long long w = t; while (!SET) { w += 1ull << 32; if (!((unsigned)(w >> 32) < 2500u)) break; })

// nothing: near_unrolled_by_two
ELSE(near_unrolled_by_two, unsigned i = 0 COMMA e = (n & 15) + 1000; _Pragma("unroll 2") while (i < e) { if (!STANDS) break; i++; })

// nothing: near_outer_counter
ELSE(near_outer_counter, for (unsigned k = 0; k < 100; k++) for (unsigned i = 0; i < k; i++) if (SET) goto out; out:;)
