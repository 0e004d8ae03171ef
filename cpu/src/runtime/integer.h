/* Integer arithmetic and bit fields. Arguments and results are bits; the suffix of a name is the type that they are of. Every function is defined for all
   arguments. */

/* What follows for each type: the name's suffix, the type of bits, the type of values, one that holds a product, and the width. */
#define PXRW_INTEGERS(apply)                            \
    apply(u16, uint16_t, uint16_t, uint32_t, 16)        \
    apply(s16, uint16_t, int16_t, int32_t, 16)          \
    apply(u32, uint32_t, uint32_t, uint64_t, 32)        \
    apply(s32, uint32_t, int32_t, int64_t, 32)          \
    apply(u64, uint64_t, uint64_t, pxrw_uint128, 64)    \
    apply(s64, uint64_t, int64_t, pxrw_int128, 64)

__extension__ typedef unsigned __int128 pxrw_uint128;
__extension__ typedef __int128 pxrw_int128;

#define PXRW_ARITHMETIC(suffix, bits_type, type, product, width)                                   \
    static inline bits_type pxrw_mul_hi_##suffix(bits_type a, bits_type b)                         \
    {                                                                                              \
        return (bits_type)(((product)(type)a * (type)b) >> width);                                 \
    }                                                                                              \
    static inline bits_type pxrw_min_##suffix(bits_type a, bits_type b)                            \
    {                                                                                              \
        return (type)a < (type)b ? a : b;                                                          \
    }                                                                                              \
    static inline bits_type pxrw_max_##suffix(bits_type a, bits_type b)                            \
    {                                                                                              \
        return (type)a > (type)b ? a : b;                                                          \
    }                                                                                              \
    static inline bits_type pxrw_sad_##suffix(bits_type a, bits_type b, bits_type c)               \
    {                                                                                              \
        return (bits_type)(((type)a > (type)b ? a - b : b - a) + c);                               \
    }
PXRW_INTEGERS(PXRW_ARITHMETIC)

/* Division by zero gives all ones and leaves the dividend, as on a GPU. */
#define PXRW_DIVISION_UNSIGNED(suffix, type)                                      \
    static inline type pxrw_div_##suffix(type a, type b)                          \
    {                                                                             \
        return b == 0 ? (type)~(type)0 : (type)(a / b);                           \
    }                                                                             \
    static inline type pxrw_rem_##suffix(type a, type b)                          \
    {                                                                             \
        return b == 0 ? a : (type)(a % b);                                        \
    }                                                                             \
    static inline type pxrw_abs_##suffix(type a)                                  \
    {                                                                             \
        return a;                                                                 \
    }
PXRW_DIVISION_UNSIGNED(u16, uint16_t)
PXRW_DIVISION_UNSIGNED(u32, uint32_t)
PXRW_DIVISION_UNSIGNED(u64, uint64_t)

/* A quotient by -1 is a difference: the one of the least value would overflow. */
#define PXRW_DIVISION_SIGNED(suffix, bits_type, type)                             \
    static inline bits_type pxrw_div_##suffix(bits_type a, bits_type b)           \
    {                                                                             \
        if (b == 0)                                                               \
            return (bits_type)~(bits_type)0;                                      \
        if ((type)b == -1)                                                        \
            return (bits_type)(0u - a);                                           \
        return (bits_type)((type)a / (type)b);                                    \
    }                                                                             \
    static inline bits_type pxrw_rem_##suffix(bits_type a, bits_type b)           \
    {                                                                             \
        if (b == 0)                                                               \
            return a;                                                             \
        if ((type)b == -1)                                                        \
            return 0;                                                             \
        return (bits_type)((type)a % (type)b);                                    \
    }                                                                             \
    static inline bits_type pxrw_abs_##suffix(bits_type a)                        \
    {                                                                             \
        return (type)a < 0 ? (bits_type)(0u - a) : a;                             \
    }
PXRW_DIVISION_SIGNED(s16, uint16_t, int16_t)
PXRW_DIVISION_SIGNED(s32, uint32_t, int32_t)
PXRW_DIVISION_SIGNED(s64, uint64_t, int64_t)

/* The nearest value that 32 bits hold. */
static inline uint32_t pxrw_saturate_s32(int64_t value)
{
    return (uint32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}
static inline uint32_t pxrw_add_sat_s32(uint32_t a, uint32_t b)
{
    return pxrw_saturate_s32((int64_t)(int32_t)a + (int32_t)b);
}
static inline uint32_t pxrw_sub_sat_s32(uint32_t a, uint32_t b)
{
    return pxrw_saturate_s32((int64_t)(int32_t)a - (int32_t)b);
}
static inline uint32_t pxrw_mad_hi_sat_s32(uint32_t a, uint32_t b, uint32_t c)
{
    return pxrw_saturate_s32((int64_t)(int32_t)pxrw_mul_hi_s32(a, b) + (int32_t)c);
}
static inline uint32_t pxrw_min_relu_s32(uint32_t a, uint32_t b)
{
    return pxrw_max_s32(pxrw_min_s32(a, b), 0);
}
static inline uint32_t pxrw_max_relu_s32(uint32_t a, uint32_t b)
{
    return pxrw_max_s32(pxrw_max_s32(a, b), 0);
}

/* Two packed integers of 16 bits. */
static inline uint16_t pxrw_wrapping_add_u16(uint16_t a, uint16_t b)
{
    return (uint16_t)(a + b);
}
static inline uint16_t pxrw_min_relu_s16(uint16_t a, uint16_t b)
{
    return pxrw_max_s16(pxrw_min_s16(a, b), 0);
}
static inline uint16_t pxrw_max_relu_s16(uint16_t a, uint16_t b)
{
    return pxrw_max_s16(pxrw_max_s16(a, b), 0);
}
#define PXRW_PACKED(name, function)                                                               \
    static inline uint32_t name(uint32_t a, uint32_t b)                                           \
    {                                                                                             \
        return (uint32_t)function((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16                 \
               | function((uint16_t)a, (uint16_t)b);                                              \
    }
PXRW_PACKED(pxrw_add_u16x2, pxrw_wrapping_add_u16)
PXRW_PACKED(pxrw_min_u16x2, pxrw_min_u16)
PXRW_PACKED(pxrw_max_u16x2, pxrw_max_u16)
PXRW_PACKED(pxrw_min_s16x2, pxrw_min_s16)
PXRW_PACKED(pxrw_max_s16x2, pxrw_max_s16)
PXRW_PACKED(pxrw_min_relu_s16x2, pxrw_min_relu_s16)
PXRW_PACKED(pxrw_max_relu_s16x2, pxrw_max_relu_s16)

/* The carry out of `a + b + in`, where `in` is 0 or 1. */
static inline uint32_t pxrw_carry_32(uint32_t a, uint32_t b, uint32_t in)
{
    return (uint32_t)(((uint64_t)a + b + in) >> 32);
}
static inline uint32_t pxrw_carry_64(uint64_t a, uint64_t b, uint32_t in)
{
    const uint64_t sum = a + b;
    return (uint32_t)(sum < a) | (uint32_t)(sum + in < sum);
}

/* Counts of bits, and their order turned round. */
static inline uint32_t pxrw_popc_32(uint32_t a)
{
    return (uint32_t)__builtin_popcount(a);
}
static inline uint32_t pxrw_popc_64(uint64_t a)
{
    return (uint32_t)__builtin_popcountll(a);
}
static inline uint32_t pxrw_clz_32(uint32_t a)
{
    return a == 0 ? 32u : (uint32_t)__builtin_clz(a);
}
static inline uint32_t pxrw_clz_64(uint64_t a)
{
    return a == 0 ? 64u : (uint32_t)__builtin_clzll(a);
}
static inline uint32_t pxrw_brev_32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
static inline uint64_t pxrw_brev_64(uint64_t a)
{
    return (uint64_t)pxrw_brev_32((uint32_t)a) << 32 | pxrw_brev_32((uint32_t)(a >> 32));
}

/* `bfind`: the place of the highest bit that differs from the sign; all ones if there is none. `.shiftamt`: how far it is from the top. */
#define PXRW_FIND(width, bits_type, signed_type)                                              \
    static inline uint32_t pxrw_bfind_u##width(bits_type a)                                   \
    {                                                                                         \
        return width - 1 - pxrw_clz_##width(a);                                               \
    }                                                                                         \
    static inline uint32_t pxrw_bfind_s##width(bits_type a)                                   \
    {                                                                                         \
        return pxrw_bfind_u##width((signed_type)a < 0 ? ~a : a);                              \
    }                                                                                         \
    static inline uint32_t pxrw_bfind_shiftamt_u##width(bits_type a)                          \
    {                                                                                         \
        return a == 0 ? UINT32_MAX : pxrw_clz_##width(a);                                     \
    }                                                                                         \
    static inline uint32_t pxrw_bfind_shiftamt_s##width(bits_type a)                          \
    {                                                                                         \
        return pxrw_bfind_shiftamt_u##width((signed_type)a < 0 ? ~a : a);                     \
    }
PXRW_FIND(32, uint32_t, int32_t)
PXRW_FIND(64, uint64_t, int64_t)

/* The low `length` bits set. */
static inline uint64_t pxrw_low_bits(uint32_t length)
{
    return length < 64 ? (UINT64_C(1) << (length & 63)) - 1 : UINT64_MAX;
}

/* `bfe`: places and lengths have 8 bits. Of a signed field the sign continues beyond the value. */
static inline uint64_t pxrw_bfe_u64(uint64_t a, uint32_t position, uint32_t length)
{
    position &= 255;
    return (position < 64 ? a >> (position & 63) : 0) & pxrw_low_bits(length & 255);
}
static inline uint32_t pxrw_bfe_u32(uint32_t a, uint32_t position, uint32_t length)
{
    return (uint32_t)pxrw_bfe_u64(a, position, length);
}
static inline uint64_t pxrw_bfe_signed(uint64_t extended, uint32_t position, uint32_t length, uint32_t width)
{
    const uint64_t ones = pxrw_low_bits(length & 255);
    uint32_t sign_at;
    uint64_t low;
    position &= 255;
    length &= 255;
    if (length == 0)
        return 0;
    sign_at = position + length - 1;
    sign_at = sign_at < width ? sign_at : width - 1;
    low = (uint64_t)((int64_t)extended >> (position < 64 ? position : 63)) & ones;
    return (extended >> sign_at & 1) != 0 ? low | ~ones : low;
}
static inline uint64_t pxrw_bfe_s64(uint64_t a, uint32_t position, uint32_t length)
{
    return pxrw_bfe_signed(a, position, length, 64);
}
static inline uint32_t pxrw_bfe_s32(uint32_t a, uint32_t position, uint32_t length)
{
    return (uint32_t)pxrw_bfe_signed((uint64_t)(int64_t)(int32_t)a, position, length, 32);
}

/* `bfi`: the low bits of `a`, put into `b`. */
static inline uint64_t pxrw_bfi_64(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    const uint64_t ones = pxrw_low_bits(length & 255);
    position &= 255;
    if (position >= 64)
        return b;
    return (b & ~(ones << position)) | (a << position & ones << position);
}
static inline uint32_t pxrw_bfi_32(uint32_t a, uint32_t b, uint32_t position, uint32_t length)
{
    return (position & 255) < 32 ? (uint32_t)pxrw_bfi_64(a, b, position, length) : b;
}

static inline uint32_t pxrw_bmsk_wrap(uint32_t position, uint32_t length)
{
    return (uint32_t)(pxrw_low_bits(length & 31) << (position & 31));
}
static inline uint32_t pxrw_bmsk_clamp(uint32_t position, uint32_t length)
{
    return (uint32_t)(pxrw_low_bits(length < 32 ? length : 32) << (position < 32 ? position : 32));
}

/* `szext`: the low bits of a value, extended by zeros or by their sign. */
static inline uint32_t pxrw_szext_clamp_u32(uint32_t a, uint32_t bits)
{
    return bits < 32 ? a & ((1u << (bits & 31)) - 1) : a;
}
static inline uint32_t pxrw_szext_clamp_s32(uint32_t a, uint32_t bits)
{
    if (bits == 0 || bits >= 32)
        return bits == 0 ? 0 : a;
    return (uint32_t)((int32_t)(a << (32 - bits)) >> (32 - bits));
}
static inline uint32_t pxrw_szext_wrap_u32(uint32_t a, uint32_t bits)
{
    return pxrw_szext_clamp_u32(a, bits & 31);
}
static inline uint32_t pxrw_szext_wrap_s32(uint32_t a, uint32_t bits)
{
    return pxrw_szext_clamp_s32(a, bits & 31);
}

/* `fns`: the place of the n-th set bit from `base` on; a negative n looks downwards. */
static inline uint32_t pxrw_fns(uint32_t mask, uint32_t base, uint32_t offset)
{
    const int down = (int32_t)offset < 0;
    uint32_t left = down ? 0u - offset : offset;
    uint32_t at = base;
    if (base > 31)
        return UINT32_MAX;
    if (left == 0)
        return (mask >> base & 1) != 0 ? base : UINT32_MAX;
    /* Downwards the place wraps around below zero. */
    for (; at < 32; at = down ? at - 1 : at + 1)
        if ((mask >> at & 1) != 0 && --left == 0)
            return at;
    return UINT32_MAX;
}

/* `prmt`: bytes of a pair, by number, and their signs. */
static inline uint32_t pxrw_pair_byte(uint32_t a, uint32_t b, uint32_t number)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> (8 * (number & 7))) & 0xff;
}
static inline uint32_t pxrw_prmt_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t byte = pxrw_pair_byte(a, b, selector);
    return (selector & 8) != 0 ? (0u - (byte >> 7)) & 0xff : byte;
}
static inline uint32_t pxrw_bytes(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth)
{
    return first | second << 8 | third << 16 | fourth << 24;
}
static inline uint32_t pxrw_prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    return pxrw_bytes(pxrw_prmt_byte(a, b, selector), pxrw_prmt_byte(a, b, selector >> 4),
                      pxrw_prmt_byte(a, b, selector >> 8), pxrw_prmt_byte(a, b, selector >> 12));
}
static inline uint32_t pxrw_prmt_f4e(uint32_t a, uint32_t b, uint32_t selector)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> (8 * (selector & 3)));
}
static inline uint32_t pxrw_prmt_b4e(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t s = selector & 3;
    return pxrw_bytes(pxrw_pair_byte(a, b, s), pxrw_pair_byte(a, b, s - 1), pxrw_pair_byte(a, b, s - 2),
                      pxrw_pair_byte(a, b, s - 3));
}
static inline uint32_t pxrw_prmt_rc8(uint32_t a, uint32_t b, uint32_t selector)
{
    (void)b;
    return (a >> (8 * (selector & 3)) & 0xff) * 0x01010101u;
}
static inline uint32_t pxrw_prmt_ecl(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t s = selector & 3;
    (void)b;
    return pxrw_bytes(pxrw_pair_byte(a, 0, s), pxrw_pair_byte(a, 0, s > 1 ? s : 1), pxrw_pair_byte(a, 0, s > 2 ? s : 2), a >> 24);
}
static inline uint32_t pxrw_prmt_ecr(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t s = selector & 3;
    (void)b;
    return pxrw_bytes(a & 0xff, pxrw_pair_byte(a, 0, s < 1 ? s : 1), pxrw_pair_byte(a, 0, s < 2 ? s : 2), pxrw_pair_byte(a, 0, s));
}
static inline uint32_t pxrw_prmt_rc16(uint32_t a, uint32_t b, uint32_t selector)
{
    (void)b;
    return (a >> (16 * (selector & 1)) & 0xffff) * 0x00010001u;
}

/* Dot products of bytes, and of half-words with bytes. */
#define PXRW_DOT(suffix, half_a, byte_a, byte_b)                                                               \
    static inline uint32_t pxrw_dp4a_##suffix(uint32_t a, uint32_t b, uint32_t c)                              \
    {                                                                                                          \
        const int32_t low = (byte_a)a * (byte_b)b + (byte_a)(a >> 8) * (byte_b)(b >> 8);                       \
        const int32_t high = (byte_a)(a >> 16) * (byte_b)(b >> 16) + (byte_a)(a >> 24) * (byte_b)(b >> 24);    \
        return (uint32_t)(low + high) + c;                                                                     \
    }                                                                                                          \
    static inline uint32_t pxrw_dp2a_lo_##suffix(uint32_t a, uint32_t b, uint32_t c)                           \
    {                                                                                                          \
        return (uint32_t)((half_a)a * (byte_b)b + (half_a)(a >> 16) * (byte_b)(b >> 8)) + c;                   \
    }                                                                                                          \
    static inline uint32_t pxrw_dp2a_hi_##suffix(uint32_t a, uint32_t b, uint32_t c)                           \
    {                                                                                                          \
        return pxrw_dp2a_lo_##suffix(a, b >> 16, c);                                                           \
    }
PXRW_DOT(u32_u32, uint16_t, uint8_t, uint8_t)
PXRW_DOT(u32_s32, uint16_t, uint8_t, int8_t)
PXRW_DOT(s32_u32, int16_t, int8_t, uint8_t)
PXRW_DOT(s32_s32, int16_t, int8_t, int8_t)

/* Products of the low 24 bits. */
static inline int64_t pxrw_product24_s32(uint32_t a, uint32_t b)
{
    return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}
static inline uint32_t pxrw_mul24_lo_u32(uint32_t a, uint32_t b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
static inline uint32_t pxrw_mul24_hi_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16);
}
static inline uint32_t pxrw_mul24_lo_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)pxrw_product24_s32(a, b);
}
static inline uint32_t pxrw_mul24_hi_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)(pxrw_product24_s32(a, b) >> 16);
}
static inline uint32_t pxrw_mad24_hi_sat_s32(uint32_t a, uint32_t b, uint32_t c)
{
    return pxrw_saturate_s32((int64_t)(int32_t)pxrw_mul24_hi_s32(a, b) + (int32_t)c);
}
