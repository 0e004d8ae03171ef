/* Atomics: each returns the old value. Other host threads see each as one step. Needs integer.h, memory.h, float.h and half.h. */

#define PXRW_BUILTIN(name, builtin, width)                                                          \
    static inline uint##width##_t pxrw_atomic_##name##_##width(unsigned char *at, uint##width##_t b) \
    {                                                                                               \
        return builtin((uint##width##_t *)(void *)at, b, __ATOMIC_SEQ_CST);                         \
    }
#define PXRW_BUILTINS(width)                         \
    PXRW_BUILTIN(add, __atomic_fetch_add, width)     \
    PXRW_BUILTIN(and, __atomic_fetch_and, width)     \
    PXRW_BUILTIN(or, __atomic_fetch_or, width)       \
    PXRW_BUILTIN(xor, __atomic_fetch_xor, width)     \
    PXRW_BUILTIN(exch, __atomic_exchange_n, width)
PXRW_BUILTINS(32)
PXRW_BUILTINS(64)

/* Compares with `b`, and writes `c` where it is equal. */
#define PXRW_COMPARE(width)                                                                                        \
    static inline uint##width##_t pxrw_atomic_cas_##width(unsigned char *at, uint##width##_t b, uint##width##_t c) \
    {                                                                                                              \
        __atomic_compare_exchange_n((uint##width##_t *)(void *)at, &b, c, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
        return b;                                                                                                  \
    }
PXRW_COMPARE(16)
PXRW_COMPARE(32)
PXRW_COMPARE(64)

/* Any other update: a function of the old value and `b`, repeated until no other thread has changed the place in between. */
#define PXRW_UPDATE(name, suffix, width, function)                                                       \
    static inline uint##width##_t pxrw_atomic_##name##_##suffix(unsigned char *at, uint##width##_t b)    \
    {                                                                                                    \
        uint##width##_t *const place = (uint##width##_t *)(void *)at;                                    \
        uint##width##_t old = __atomic_load_n(place, __ATOMIC_RELAXED);                                  \
        while (!__atomic_compare_exchange_n(place, &old, function(old, b), 1, __ATOMIC_SEQ_CST,          \
                                            __ATOMIC_RELAXED))                                           \
            ;                                                                                            \
        return old;                                                                                      \
    }

static inline uint32_t pxrw_increment(uint32_t old, uint32_t b)
{
    return old >= b ? 0 : old + 1;
}
static inline uint32_t pxrw_decrement(uint32_t old, uint32_t b)
{
    return old == 0 || old > b ? b : old - 1;
}
PXRW_UPDATE(inc, u32, 32, pxrw_increment)
PXRW_UPDATE(dec, u32, 32, pxrw_decrement)
PXRW_UPDATE(min, u32, 32, pxrw_min_u32)
PXRW_UPDATE(min, s32, 32, pxrw_min_s32)
PXRW_UPDATE(min, u64, 64, pxrw_min_u64)
PXRW_UPDATE(min, s64, 64, pxrw_min_s64)
PXRW_UPDATE(max, u32, 32, pxrw_max_u32)
PXRW_UPDATE(max, s32, 32, pxrw_max_s32)
PXRW_UPDATE(max, u64, 64, pxrw_max_u64)
PXRW_UPDATE(max, s64, 64, pxrw_max_s64)

/* Sums of floats. In global memory subnormal singles count as zero: `ftz`. */
static inline uint32_t pxrw_sum_ftz_f32(uint32_t old, uint32_t b)
{
    return pxrw_flush_f32(pxrw_add_f32(pxrw_flush_f32(old), pxrw_flush_f32(b)));
}
PXRW_UPDATE(add, f32, 32, pxrw_add_f32)
PXRW_UPDATE(add, ftz_f32, 32, pxrw_sum_ftz_f32)
PXRW_UPDATE(add, f64, 64, pxrw_add_f64)

/* The smaller or larger value; of a number and a NaN the number; -0 is smaller than +0. */
#define PXRW_EXTREME(suffix, width, read, nan)                                                       \
    static inline uint##width##_t pxrw_smaller_##suffix(uint##width##_t a, uint##width##_t b)        \
    {                                                                                                \
        if (read(b) != read(b))                                                                      \
            return read(a) != read(a) ? nan : a;                                                     \
        return read(a) < read(b) || (read(a) == read(b) && a >> (width - 1) != 0) ? a : b;           \
    }                                                                                                \
    static inline uint##width##_t pxrw_larger_##suffix(uint##width##_t a, uint##width##_t b)         \
    {                                                                                                \
        if (read(b) != read(b))                                                                      \
            return read(a) != read(a) ? nan : a;                                                     \
        return read(a) > read(b) || (read(a) == read(b) && b >> (width - 1) != 0) ? a : b;           \
    }                                                                                                \
    PXRW_UPDATE(min, suffix, width, pxrw_smaller_##suffix)                                           \
    PXRW_UPDATE(max, suffix, width, pxrw_larger_##suffix)
PXRW_EXTREME(f32, 32, pxrw_f32, 0x7fffffffu)
PXRW_EXTREME(f64, 64, pxrw_f64, UINT64_C(0x7fffffffffffffff))

/* Halves, alone and two in a word. */
#define PXRW_HALVES(name, suffix)                                                                     \
    static inline uint32_t pxrw_##name##_both_##suffix(uint32_t old, uint32_t b)                      \
    {                                                                                                 \
        return (uint32_t)pxrw_##name##_##suffix((uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16     \
               | pxrw_##name##_##suffix((uint16_t)old, (uint16_t)b);                                  \
    }                                                                                                 \
    PXRW_UPDATE(name, suffix, 16, pxrw_##name##_##suffix)                                             \
    PXRW_UPDATE(name, suffix##x2, 32, pxrw_##name##_both_##suffix)
PXRW_HALVES(add, f16)
PXRW_HALVES(min, f16)
PXRW_HALVES(max, f16)
PXRW_HALVES(add, bf16)
PXRW_HALVES(min, bf16)
PXRW_HALVES(max, bf16)

/* 128 bits are two words. A lock keeps these atomics apart from each other; plain accesses may see one word changed and the other not. */
static int pxrw_wide_lock;

static inline pxrw_u128 pxrw_pair(uint64_t low, uint64_t high)
{
    pxrw_u128 pair;
    pair.low = low;
    pair.high = high;
    return pair;
}
static inline void pxrw_lock_wide(void)
{
    while (__atomic_exchange_n(&pxrw_wide_lock, 1, __ATOMIC_ACQUIRE) != 0)
        ;
}
static inline void pxrw_unlock_wide(void)
{
    __atomic_store_n(&pxrw_wide_lock, 0, __ATOMIC_RELEASE);
}
static inline pxrw_u128 pxrw_load_wide(const unsigned char *at)
{
    return pxrw_pair(pxrw_load64_ordered(at), pxrw_load64_ordered(at + 8));
}
static inline void pxrw_store_wide(unsigned char *at, pxrw_u128 value)
{
    pxrw_store64_ordered(at, value.low);
    pxrw_store64_ordered(at + 8, value.high);
}
static inline pxrw_u128 pxrw_atomic_exch_128(unsigned char *at, pxrw_u128 b)
{
    pxrw_u128 old;
    pxrw_lock_wide();
    old = pxrw_load_wide(at);
    pxrw_store_wide(at, b);
    pxrw_unlock_wide();
    return old;
}
static inline pxrw_u128 pxrw_atomic_cas_128(unsigned char *at, pxrw_u128 b, pxrw_u128 c)
{
    pxrw_u128 old;
    pxrw_lock_wide();
    old = pxrw_load_wide(at);
    if (old.low == b.low && old.high == b.high)
        pxrw_store_wide(at, c);
    pxrw_unlock_wide();
    return old;
}
