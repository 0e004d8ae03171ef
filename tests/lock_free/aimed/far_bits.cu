// Counters that are held against an end that instructions on bits make: reversed, shifted, taken apart, put together, or a mask of lanes. All wait for the last lane.

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

// found: bits_reversed
ELSE(bits_reversed, unsigned e = __brev(t | 1); for (unsigned i = 0; i < e; i++) if (!STANDS) break;)

// found: bits_reversed_test
ELSE(bits_reversed_test, unsigned i = 0 COMMA e = __brev(t + 1); while (STANDS && i < e) i++;)

// found: bits_reversed_plain
ELSE(bits_reversed_plain, unsigned e = __brev(threadIdx.x | 3); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_reversed_long
ELSE(bits_reversed_long, unsigned long long e = __brevll(t | 1); for (unsigned long long i = 0; i < e; i++) if (SET) break;)

// found: bits_reversed_choice
ELSE(bits_reversed_choice, unsigned e = n & 1 ? __brev(t | 1) : 3; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_shifted_down
ELSE(bits_shifted_down, unsigned e = ~0u >> (t & 3); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_shifted_long
ELSE(bits_shifted_long, unsigned long long e = ~0ull >> (t & 7); for (unsigned long long i = 0; i < e; i++) if (SET) break;)

// found: bits_turned
ELSE(bits_turned, unsigned e = __funnelshift_r(t | 1 COMMA t | 1 COMMA 2); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_turned_by_lane
ELSE(bits_turned_by_lane, unsigned e = __funnelshift_l(5 COMMA t COMMA 28); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_of_bytes
ELSE(bits_of_bytes, unsigned e = __byte_perm(t COMMA t + 1 COMMA 0x0123); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_divided
ELSE(bits_divided, unsigned e = ~0u / (t + 1); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_of_lanes_below
ELSE(bits_of_lanes_below, unsigned e; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(e)); for (unsigned i = 0; i <= e; i++) if (SET) break;)

// found: bits_of_lanes_active
ELSE(bits_of_lanes_active, unsigned e = __activemask(); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_of_votes
ELSE(bits_of_votes, unsigned e = __ballot_sync(0x7fffffff COMMA m[t] == 0); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_packed
ELSE(bits_packed, unsigned long long e; asm("mov.b64 %0, {%1, %2};" : "=l"(e) : "r"(t), "r"(t + 1)); for (unsigned long long i = 0; i < e; i++) if (SET) break;)

// found: bits_taken_apart
ELSE(bits_taken_apart, unsigned e; asm("{ .reg .b32 low; mov.b64 {low, %0}, %1; }" : "=r"(e) : "l"((unsigned long long)(t + 1) << 60)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_inserted
ELSE(bits_inserted, unsigned e; asm("bfi.b32 %0, %1, 0, 24, 6;" : "=r"(e) : "r"(t)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_of_sign
ELSE(bits_of_sign, unsigned e; asm("bfe.s32 %0, %1, 0, 5;" : "=r"(e) : "r"(t)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_by_table
ELSE(bits_by_table, unsigned e; asm("lop3.b32 %0, %1, %2, %3, 1;" : "=r"(e) : "r"(t), "r"(t & 1), "r"(t >> 1)); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_less_than_all
ELSE(bits_less_than_all, unsigned e = 0xfffffff0u - t; for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_high_product
ELSE(bits_high_product, unsigned e = __umulhi(0xfffffff0u COMMA 0xff000000u + t); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_least
ELSE(bits_least, unsigned e = min(0xf0000000u + t COMMA ~t); for (unsigned i = 0; i < e; i++) if (SET) break;)

// found: bits_down_from
ELSE(bits_down_from, for (unsigned i = __brev(t | 1); i; i--) if (SET) break;)

// found: bits_stored
ELSE(bits_stored, m[t] = __brev(t | 1); for (unsigned i = 0; i < m[t]; i++) if (!STANDS) break;)
