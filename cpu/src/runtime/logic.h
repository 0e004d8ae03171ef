/* Shifts by any amount, functions of three bits, and comparisons of floats. Needs float.h. */

#define PXRW_SHIFTS(width, bits_type, signed_type)                                        \
    static inline bits_type pxrw_shl_##width(bits_type a, uint32_t by)                    \
    {                                                                                     \
        return by < width ? (bits_type)((uint64_t)a << (by & (width - 1))) : 0;           \
    }                                                                                     \
    static inline bits_type pxrw_shr_u##width(bits_type a, uint32_t by)                   \
    {                                                                                     \
        return by < width ? (bits_type)(a >> (by & (width - 1))) : 0;                     \
    }                                                                                     \
    static inline bits_type pxrw_shr_s##width(bits_type a, uint32_t by)                   \
    {                                                                                     \
        return (bits_type)((signed_type)a >> (by < width ? by : width - 1));              \
    }
PXRW_SHIFTS(16, uint16_t, int16_t)
PXRW_SHIFTS(32, uint32_t, int32_t)
PXRW_SHIFTS(64, uint64_t, int64_t)

/* `shf`: a window of 32 bits on a pair. */
static inline uint32_t pxrw_shf_l_wrap(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)((((uint64_t)high << 32 | low) << (by & 31)) >> 32);
}
static inline uint32_t pxrw_shf_l_clamp(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)((((uint64_t)high << 32 | low) << (by < 32 ? by : 32)) >> 32);
}
static inline uint32_t pxrw_shf_r_wrap(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (by & 31));
}
static inline uint32_t pxrw_shf_r_clamp(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (by < 32 ? by : 32));
}

/* `lop3`: bit i of the table is the result where a, b, c are the bits 2, 1, 0 of i. The table is a constant, so that the compiler simplifies this. */
static inline uint32_t pxrw_choose(uint32_t zero, uint32_t one, uint32_t by)
{
    return zero ^ ((zero ^ one) & by);
}
static inline uint32_t pxrw_lop3_row(uint32_t table, uint32_t row)
{
    return 0u - (table >> row & 1);
}
static inline uint32_t pxrw_lop3_half(uint32_t b, uint32_t c, uint32_t table)
{
    return pxrw_choose(pxrw_choose(pxrw_lop3_row(table, 0), pxrw_lop3_row(table, 1), c),
                       pxrw_choose(pxrw_lop3_row(table, 2), pxrw_lop3_row(table, 3), c), b);
}
static inline uint32_t pxrw_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    return pxrw_choose(pxrw_lop3_half(b, c, table), pxrw_lop3_half(b, c, table >> 4), a);
}

static inline float pxrw_flushed_f32(uint32_t bits)
{
    return pxrw_f32(pxrw_flush_f32(bits));
}

/* Comparisons of floats: those without a `u` are false where an operand is a NaN, the others true. */
#define PXRW_RELATION(name, suffix, bits_type, type, read, expression)            \
    static inline uint8_t pxrw_##name##_##suffix(bits_type a, bits_type b)        \
    {                                                                             \
        const type x = read(a), y = read(b);                                      \
        return (uint8_t)(expression);                                             \
    }
#define PXRW_RELATIONS(suffix, bits_type, type, read)                                       \
    PXRW_RELATION(eq, suffix, bits_type, type, read, x == y)                                \
    PXRW_RELATION(ne, suffix, bits_type, type, read, x < y || x > y)                        \
    PXRW_RELATION(lt, suffix, bits_type, type, read, x < y)                                 \
    PXRW_RELATION(le, suffix, bits_type, type, read, x <= y)                                \
    PXRW_RELATION(gt, suffix, bits_type, type, read, x > y)                                 \
    PXRW_RELATION(ge, suffix, bits_type, type, read, x >= y)                                \
    PXRW_RELATION(equ, suffix, bits_type, type, read, !(x < y || x > y))                    \
    PXRW_RELATION(neu, suffix, bits_type, type, read, x != y)                               \
    PXRW_RELATION(ltu, suffix, bits_type, type, read, !(x >= y))                            \
    PXRW_RELATION(leu, suffix, bits_type, type, read, !(x > y))                             \
    PXRW_RELATION(gtu, suffix, bits_type, type, read, !(x <= y))                            \
    PXRW_RELATION(geu, suffix, bits_type, type, read, !(x < y))                             \
    PXRW_RELATION(num, suffix, bits_type, type, read, x == x && y == y)                     \
    PXRW_RELATION(nan, suffix, bits_type, type, read, x != x || y != y)
PXRW_RELATIONS(f32, uint32_t, float, pxrw_f32)
PXRW_RELATIONS(ftz_f32, uint32_t, float, pxrw_flushed_f32)
PXRW_RELATIONS(f64, uint64_t, double, pxrw_f64)
