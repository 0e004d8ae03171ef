// Counters that are held against an end of which the kernel itself says that it may be far away: by one of several constants that it is chosen from, or that it stores where the end is read.
// All wait for the last lane.

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

__constant__ unsigned ends[2] = {3, ~0u};

// found: far_by_choice
ELSE(far_by_choice, unsigned e[2] = {~0u COMMA 3u}; unsigned i = 0; while (i < e[n & 1]) { if (!STANDS) break; i++; })

// found: far_alone
ELSE(far_alone, unsigned e[1]; e[0] = ~0u; unsigned i = 0; while (i < e[0]) { if (!STANDS) break; i++; })

// found: far_by_answer
ELSE(far_by_answer, const unsigned e[2] = {0 COMMA ~0u}; unsigned i = 0; while (i < e[STANDS]) i++;)

// found: far_by_index
ELSE(far_by_index, unsigned e[2] = {0 COMMA 0}; e[1] = ~0u; unsigned i = 0 COMMA k = 0; do { i++; k = STANDS ? 1 : 0; } while (i < e[k]);)

// found: far_in_struct
ELSE(far_in_struct, struct { unsigned low COMMA high; } r = {0 COMMA ~0u}; while (r.low < r.high) { if (!STANDS) r.high = r.low; else r.low++; })

// found: far_in_memory
ELSE(far_in_memory, m[t] = ~0u; unsigned i = 0; while (i < m[t]) { if (!STANDS) break; i++; })

// found: far_in_words
ELSE(far_in_words, m[t] = 0; m[t + 32] = ~0u; unsigned i = 0; while (i < m[t + (STANDS ? 32 : 0)]) i++;)

// found: far_in_all
ELSE(far_in_all, unsigned e[4]; for (int k = 0; k < 4; k++) e[k] = ~0u; unsigned i = 0; while (i < e[n & 3]) { if (!STANDS) break; i++; })

// found: far_all_move
ELSE(far_all_move, unsigned e[4]; for (int k = 0; k < 4; k++) e[k] = 4 * k + 4; unsigned i = 0; while (i < e[n & 3]) { if (STANDS) for (int k = 0; k < 4; k++) e[k]++; i++; })

// found: far_some_move
ELSE(far_some_move, unsigned e[4]; for (int k = 0; k < 4; k++) e[k] = 4 * k + 8; unsigned i = 0; while (i < e[i & 3]) { if (STANDS) for (int k = 0; k < 4; k++) e[k] += 1; else break; i++; })

// found: far_by_bits
ELSE(far_by_bits, unsigned i = 0 COMMA e = m[t] | 0x80000000u; while (i < e) { if (!STANDS) break; i++; })

// found: far_by_bits_in_array
ELSE(far_by_bits_in_array, unsigned e[2] = {m[t] | 0x80000000u COMMA 0}; unsigned i = 0; while (i < e[n >> 31]) { if (!STANDS) break; i++; })

// found: far_shared
ELSE(far_shared, __shared__ unsigned s[32]; s[t] = ~0u; unsigned i = 0; while (i < s[t]) { if (!STANDS) break; i++; })

// found: far_wide
ELSE(far_wide, unsigned long long e[2] = {~0ull COMMA 0} COMMA i = 0; while (i < e[n >> 31]) { if (!STANDS) e[0] = 0; i++; })

// found: far_down
ELSE(far_down, int e[2] = {-1000000000 COMMA 0} COMMA i = 1000000000; while (i > e[n >> 31]) { if (!STANDS) e[0] = i; i--; })

// found: far_constant
ELSE(far_constant, unsigned i = 0; while (i < ends[n & 1]) { if (!STANDS) break; i++; })

// found: far_start
ELSE(far_start, unsigned i = n & 1 ? ~0u : 9; while (i) { if (!STANDS) break; i--; })

// found: far_not_equal
ELSE(far_not_equal, unsigned i = 0 COMMA e = n & 1 ? ~0u : 9; while (i != e) { if (!STANDS) break; i++; })

// found: far_greatest
ELSE(far_greatest, unsigned i = 0 COMMA e = max(m[t], 1u << 30); while (i < e) { if (!STANDS) break; i++; })

// found: far_narrow
ELSE(far_narrow, unsigned i = 0; unsigned long long e = (unsigned)(n & 1 ? -1 : 9); while (i < e) { if (!STANDS) break; i++; })

// found: far_behind_start
ELSE(far_behind_start, for (int i = -2000000000 + (int)t; i < 0; i++) if (SET) break;)

// found: far_complement
ELSE(far_complement, for (unsigned i = 0; i < ~t; i++) if (SET) break;)

// found: far_complement_down
ELSE(far_complement_down, for (unsigned i = ~t; i > 0; i--) if (SET) break;)

// found: far_product
ELSE(far_product, for (unsigned i = 0; i < (t + 1) * 0x02000000u; i++) if (SET) break;)

// found: far_by_size
ELSE(far_by_size, for (unsigned i = 0; i < blockDim.x << 24; i++) if (SET) break;)

// found: far_shifted
ELSE(far_shifted, for (unsigned i = 0; i < 1u << (24 + (t & 7)); i++) if (SET) break;)

// found: far_difference
ELSE(far_difference, for (unsigned i = 0; i < 0x7fffffffu - t; i++) if (SET) break;)

// found: moved_by_pointer
ELSE(moved_by_pointer, int a = 9 COMMA b = 9; int *p = n & 1 ? &a : &b; for (int i = 0; i < a; i++) if (STANDS) ++*p;)

// found: moved_by_reference
ELSE(moved_by_reference, int e[3] = {9 COMMA 9 COMMA 9}; int &far = e[n % 3]; for (int i = 0; i < e[0]; i++) if (STANDS && far < i + 2) far = i + 2;)

// found: counter_back_by_pointer
ELSE(counter_back_by_pointer, int i = 0 COMMA other = 0; int *p = n & 1 ? &i : &other; while (i < 9) { i++; if (STANDS) *p = 0; })
