/* f16 and bf16, one and two in a register. Needs float.h. Every operation is rounded once. */

#define PXRW_NAN16 0x7fffu

/* The value of a code, exactly. */
static inline float pxrw_value_f16(uint16_t code)
{
    uint32_t magnitude = code & 0x7fffu, sign = (uint32_t)(code & 0x8000u) << 16;
    uint32_t subnormal = pxrw_bits32((float)(int32_t)magnitude * 5.9604644775390625e-8f);
    uint32_t normal = (magnitude << 13) + (112u << 23);
    uint32_t finite = magnitude < 0x400u ? subnormal : normal;
    return pxrw_f32((magnitude < 0x7c00u ? finite : (magnitude << 13) + (224u << 23)) | sign);
}
static inline float pxrw_value_bf16(uint16_t code)
{
    return pxrw_f32((uint32_t)code << 16);
}
/* The same as the bits of a single. */
static inline uint32_t pxrw_widen_f16(uint16_t code)
{
    return pxrw_bits32(pxrw_value_f16(code));
}
static inline uint32_t pxrw_widen_bf16(uint16_t code)
{
    return (uint32_t)code << 16;
}

/* The nearest code of a single. */
static inline uint16_t pxrw_f16_of_f32(float value)
{
    uint32_t bits = pxrw_bits32(value), magnitude = bits & 0x7fffffffu;
    uint32_t rebased = magnitude - (112u << 23);
    uint32_t normal = (rebased + 0xfffu + (rebased >> 13 & 1)) >> 13;
    /* In this sum the unit is that of a subnormal f16. */
    uint32_t subnormal = pxrw_bits32(pxrw_f32(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    uint32_t number = (magnitude < 0x477ff000u ? finite : 0x7c00u) | (bits >> 16 & 0x8000u);
    return (uint16_t)(magnitude > 0x7f800000u ? PXRW_NAN16 : number);
}
static inline uint16_t pxrw_bf16_of_f32(float value)
{
    uint32_t bits = pxrw_bits32(value);
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? PXRW_NAN16 : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* A double as a single, rounded to odd: no later rounding to a narrower format takes it for a tie. */
static inline float pxrw_odd_f32(double value)
{
    float nearest = (float)value;
    uint32_t bits = pxrw_bits32(nearest) - (fabs((double)nearest) > fabs(value));
    return pxrw_f32(bits | ((double)nearest != value));
}
static inline uint16_t pxrw_f16_of_f64(double value)
{
    return pxrw_f16_of_f32(pxrw_odd_f32(value));
}
static inline uint16_t pxrw_bf16_of_f64(double value)
{
    return pxrw_bf16_of_f32(pxrw_odd_f32(value));
}

static inline uint16_t pxrw_flush_f16(uint16_t a)
{
    return (uint16_t)((a & 0x7c00u) == 0 ? a & 0x8000u : a);
}
static inline uint16_t pxrw_flush_bf16(uint16_t a)
{
    return (uint16_t)((a & 0x7f80u) == 0 ? a & 0x8000u : a);
}
static inline uint16_t pxrw_saturate_f16(uint16_t a)
{
    uint32_t small = a < 0x3c00u ? a : 0x3c00u;
    return (uint16_t)(a <= 0x7c00u ? small : 0);
}
/* Zero for a negative number and for -0. A NaN is canonical here, without a sign. */
static inline uint16_t pxrw_relu_f16(uint16_t a)
{
    return (uint16_t)(a < 0x8000u ? a : 0);
}
static inline uint16_t pxrw_relu_bf16(uint16_t a)
{
    return pxrw_relu_f16(a);
}

/* `a * b + c` in singles, rounded to odd. The product of two f16 is exact, and no sum is too large. */
static inline float pxrw_fma_odd_f32(float a, float b, float c)
{
    float product = a * b, sum = product + c, part = sum - product;
    float error = (product - (sum - part)) + (c - part);
    uint32_t bits = pxrw_bits32(sum);
    uint32_t odd = ((error > 0.0f) == (sum > 0.0f) ? bits : bits - 1) | 1;
    return pxrw_f32((error < 0.0f) | (error > 0.0f) ? odd : bits);
}
/* The same in doubles, in which the product of two bf16 is exact. */
static inline double pxrw_fma_odd_f64(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    uint64_t bits = pxrw_bits64(sum);
    uint64_t odd = ((error > 0.0) == (sum > 0.0) ? bits : bits - 1) | 1;
    return pxrw_f64((error < 0.0) | (error > 0.0) ? odd : bits);
}
static inline uint16_t pxrw_fma_f16(uint16_t a, uint16_t b, uint16_t c)
{
    return pxrw_f16_of_f32(pxrw_fma_odd_f32(pxrw_value_f16(a), pxrw_value_f16(b), pxrw_value_f16(c)));
}
static inline uint16_t pxrw_fma_bf16(uint16_t a, uint16_t b, uint16_t c)
{
    return pxrw_bf16_of_f64(pxrw_fma_odd_f64(pxrw_value_bf16(a), pxrw_value_bf16(b), pxrw_value_bf16(c)));
}

/* A single has at least two digits more than twice those of either format, so that a second rounding of these results changes nothing (Figueroa).
   A product of two bf16 that is subnormal as a single, and not below half of the smallest bf16, is exact. */
#define PXRW_HALF(ty)                                                                                                   \
    static inline uint16_t pxrw_add_##ty(uint16_t a, uint16_t b)                                                        \
    {                                                                                                                   \
        return pxrw_##ty##_of_f32(pxrw_value_##ty(a) + pxrw_value_##ty(b));                                             \
    }                                                                                                                   \
    static inline uint16_t pxrw_sub_##ty(uint16_t a, uint16_t b)                                                        \
    {                                                                                                                   \
        return pxrw_##ty##_of_f32(pxrw_value_##ty(a) - pxrw_value_##ty(b));                                             \
    }                                                                                                                   \
    static inline uint16_t pxrw_mul_##ty(uint16_t a, uint16_t b)                                                        \
    {                                                                                                                   \
        return pxrw_##ty##_of_f32(pxrw_value_##ty(a) * pxrw_value_##ty(b));                                             \
    }                                                                                                                   \
    static inline uint16_t pxrw_neg_##ty(uint16_t a)                                                                    \
    {                                                                                                                   \
        return (uint16_t)(a ^ 0x8000u);                                                                                 \
    }                                                                                                                   \
    static inline uint16_t pxrw_abs_##ty(uint16_t a)                                                                    \
    {                                                                                                                   \
        return (uint16_t)(a & 0x7fffu);                                                                                 \
    }                                                                                                                   \
    /* Of a number and a NaN the number; -0 is smaller than +0. */                                                      \
    static inline uint16_t pxrw_min_##ty(uint16_t a, uint16_t b)                                                        \
    {                                                                                                                   \
        float x = pxrw_value_##ty(a), y = pxrw_value_##ty(b);                                                           \
        uint32_t smaller = (x < y) | ((x == y) & (a >> 15)) ? a : b;                                                    \
        uint32_t number = x != x ? b : smaller;                                                                         \
        return (uint16_t)(y != y ? (x != x ? PXRW_NAN16 : a) : number);                                                 \
    }                                                                                                                   \
    static inline uint16_t pxrw_max_##ty(uint16_t a, uint16_t b)                                                        \
    {                                                                                                                   \
        float x = pxrw_value_##ty(a), y = pxrw_value_##ty(b);                                                           \
        uint32_t larger = (x > y) | ((x == y) & (b >> 15)) ? a : b;                                                     \
        uint32_t number = x != x ? b : larger;                                                                          \
        return (uint16_t)(y != y ? (x != x ? PXRW_NAN16 : a) : number);                                                 \
    }                                                                                                                   \
    static inline uint16_t pxrw_min_nan_##ty(uint16_t a, uint16_t b)                                                    \
    {                                                                                                                   \
        float x = pxrw_value_##ty(a), y = pxrw_value_##ty(b);                                                           \
        return (uint16_t)((x != x) | (y != y) ? PXRW_NAN16 : pxrw_min_##ty(a, b));                                      \
    }                                                                                                                   \
    static inline uint16_t pxrw_max_nan_##ty(uint16_t a, uint16_t b)                                                    \
    {                                                                                                                   \
        float x = pxrw_value_##ty(a), y = pxrw_value_##ty(b);                                                           \
        return (uint16_t)((x != x) | (y != y) ? PXRW_NAN16 : pxrw_max_##ty(a, b));                                      \
    }                                                                                                                   \
    /* `min` and `max` of magnitudes, with the product of the signs. */                                                 \
    static inline uint16_t pxrw_xorsign_##ty(uint16_t value, uint16_t a, uint16_t b)                                    \
    {                                                                                                                   \
        return (uint16_t)(value == PXRW_NAN16 ? value : value ^ ((a ^ b) & 0x8000u));                                   \
    }                                                                                                                   \
    static inline uint16_t pxrw_min_xorsign_abs_##ty(uint16_t a, uint16_t b)                                            \
    {                                                                                                                   \
        return pxrw_xorsign_##ty(pxrw_min_##ty(a & 0x7fff, b & 0x7fff), a, b);                                          \
    }                                                                                                                   \
    static inline uint16_t pxrw_max_xorsign_abs_##ty(uint16_t a, uint16_t b)                                            \
    {                                                                                                                   \
        return pxrw_xorsign_##ty(pxrw_max_##ty(a & 0x7fff, b & 0x7fff), a, b);                                          \
    }                                                                                                                   \
    static inline uint16_t pxrw_min_nan_xorsign_abs_##ty(uint16_t a, uint16_t b)                                        \
    {                                                                                                                   \
        return pxrw_xorsign_##ty(pxrw_min_nan_##ty(a & 0x7fff, b & 0x7fff), a, b);                                      \
    }                                                                                                                   \
    static inline uint16_t pxrw_max_nan_xorsign_abs_##ty(uint16_t a, uint16_t b)                                        \
    {                                                                                                                   \
        return pxrw_xorsign_##ty(pxrw_max_nan_##ty(a & 0x7fff, b & 0x7fff), a, b);                                      \
    }                                                                                                                   \
    static inline uint16_t pxrw_ex2_##ty(uint16_t a)                                                                    \
    {                                                                                                                   \
        return pxrw_##ty##_of_f64(exp2((double)pxrw_value_##ty(a)));                                                    \
    }                                                                                                                   \
    static inline uint16_t pxrw_tanh_##ty(uint16_t a)                                                                   \
    {                                                                                                                   \
        return pxrw_##ty##_of_f64(tanh((double)pxrw_value_##ty(a)));                                                    \
    }                                                                                                                   \
    static inline uint16_t pxrw_fma_relu_##ty(uint16_t a, uint16_t b, uint16_t c)                                       \
    {                                                                                                                   \
        return pxrw_relu_##ty(pxrw_fma_##ty(a, b, c));                                                                  \
    }
PXRW_HALF(f16)
PXRW_HALF(bf16)

/* With `.ftz` operands and results are flushed; with `.sat` the result is clamped. */
#define PXRW_FTZ1_HALF(op, ty)                                                                                          \
    static inline uint16_t pxrw_##op##_ftz_##ty(uint16_t a)                                                             \
    {                                                                                                                   \
        return pxrw_flush_##ty(pxrw_##op##_##ty(pxrw_flush_##ty(a)));                                                   \
    }
#define PXRW_FTZ2_F16(op)                                                                                               \
    static inline uint16_t pxrw_##op##_ftz_f16(uint16_t a, uint16_t b)                                                  \
    {                                                                                                                   \
        return pxrw_flush_f16(pxrw_##op##_f16(pxrw_flush_f16(a), pxrw_flush_f16(b)));                                   \
    }
#define PXRW_FTZ3_F16(op)                                                                                               \
    static inline uint16_t pxrw_##op##_ftz_f16(uint16_t a, uint16_t b, uint16_t c)                                      \
    {                                                                                                                   \
        return pxrw_flush_f16(pxrw_##op##_f16(pxrw_flush_f16(a), pxrw_flush_f16(b), pxrw_flush_f16(c)));                \
    }
#define PXRW_SAT2_F16(op)                                                                                               \
    static inline uint16_t pxrw_##op##_sat_f16(uint16_t a, uint16_t b)                                                  \
    {                                                                                                                   \
        return pxrw_saturate_f16(pxrw_##op##_f16(a, b));                                                                \
    }
#define PXRW_SAT3_F16(op)                                                                                               \
    static inline uint16_t pxrw_##op##_sat_f16(uint16_t a, uint16_t b, uint16_t c)                                      \
    {                                                                                                                   \
        return pxrw_saturate_f16(pxrw_##op##_f16(a, b, c));                                                             \
    }
PXRW_FTZ1_HALF(neg, f16)
PXRW_FTZ1_HALF(abs, f16)
PXRW_FTZ1_HALF(ex2, bf16)
PXRW_FTZ2_F16(add)
PXRW_FTZ2_F16(sub)
PXRW_FTZ2_F16(mul)
PXRW_FTZ2_F16(min)
PXRW_FTZ2_F16(max)
PXRW_FTZ2_F16(min_nan)
PXRW_FTZ2_F16(max_nan)
PXRW_FTZ2_F16(min_xorsign_abs)
PXRW_FTZ2_F16(max_xorsign_abs)
PXRW_FTZ2_F16(min_nan_xorsign_abs)
PXRW_FTZ2_F16(max_nan_xorsign_abs)
PXRW_SAT2_F16(add)
PXRW_SAT2_F16(sub)
PXRW_SAT2_F16(mul)
PXRW_SAT2_F16(add_ftz)
PXRW_SAT2_F16(sub_ftz)
PXRW_SAT2_F16(mul_ftz)
PXRW_FTZ3_F16(fma)
PXRW_FTZ3_F16(fma_relu)
PXRW_SAT3_F16(fma)
PXRW_SAT3_F16(fma_ftz)

/* Two halves in one register: a function of halves for the lower and the upper ones. */
#define PXRW_PACK16(upper, lower) ((uint32_t)(upper) << 16 | (lower))
#define PXRW_HALVES1(function, a) PXRW_PACK16(function((uint16_t)((a) >> 16)), function((uint16_t)(a)))
#define PXRW_HALVES2(function, a, b) \
    PXRW_PACK16(function((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)), function((uint16_t)(a), (uint16_t)(b)))
#define PXRW_HALVES3(function, a, b, c)                                                       \
    PXRW_PACK16(function((uint16_t)((a) >> 16), (uint16_t)((b) >> 16), (uint16_t)((c) >> 16)), \
                function((uint16_t)(a), (uint16_t)(b), (uint16_t)(c)))

/* Relations. Those whose name ends in `u`, and `nan`, hold where an operand is NaN. */
static inline uint8_t pxrw_is_eq(double a, double b) { return a == b; }
static inline uint8_t pxrw_is_ne(double a, double b) { return (a < b) | (a > b); }
static inline uint8_t pxrw_is_lt(double a, double b) { return a < b; }
static inline uint8_t pxrw_is_le(double a, double b) { return a <= b; }
static inline uint8_t pxrw_is_gt(double a, double b) { return a > b; }
static inline uint8_t pxrw_is_ge(double a, double b) { return a >= b; }
static inline uint8_t pxrw_is_equ(double a, double b) { return !pxrw_is_ne(a, b); }
static inline uint8_t pxrw_is_neu(double a, double b) { return a != b; }
static inline uint8_t pxrw_is_ltu(double a, double b) { return !(a >= b); }
static inline uint8_t pxrw_is_leu(double a, double b) { return !(a > b); }
static inline uint8_t pxrw_is_gtu(double a, double b) { return !(a <= b); }
static inline uint8_t pxrw_is_geu(double a, double b) { return !(a < b); }
static inline uint8_t pxrw_is_num(double a, double b) { return (a == a) & (b == b); }
static inline uint8_t pxrw_is_nan(double a, double b) { return (a != a) | (b != b); }
