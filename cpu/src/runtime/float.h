/* Single and double precision in the default rounding. A result that is not a number is the canonical NaN. Needs base.h. */
#include <math.h>

#define PXRW_NAN32 0x7fffffffu
#define PXRW_NAN64 UINT64_C(0x7fffffffffffffff)

/* The bits of a value; the canonical NaN for any NaN. */
static inline uint32_t pxrw_canonical_f32(float value)
{
    return value != value ? PXRW_NAN32 : pxrw_bits32(value);
}
static inline uint64_t pxrw_canonical_f64(double value)
{
    return value != value ? PXRW_NAN64 : pxrw_bits64(value);
}

/* Zero with the same sign in place of a subnormal value (.ftz). */
static inline uint32_t pxrw_flush_f32(uint32_t a)
{
    return (a & 0x7f800000u) == 0 ? a & 0x80000000u : a;
}

/* The value clamped to [0, 1]; 0 for NaN (.sat). */
static inline uint32_t pxrw_saturate_f32(uint32_t a)
{
    float value = pxrw_f32(a);
    return value > 0.0f ? (value < 1.0f ? a : 0x3f800000u) : 0u;
}

static inline uint32_t pxrw_add_f32(uint32_t a, uint32_t b)
{
    return pxrw_canonical_f32(pxrw_f32(a) + pxrw_f32(b));
}
static inline uint32_t pxrw_sub_f32(uint32_t a, uint32_t b)
{
    return pxrw_canonical_f32(pxrw_f32(a) - pxrw_f32(b));
}
static inline uint32_t pxrw_mul_f32(uint32_t a, uint32_t b)
{
    return pxrw_canonical_f32(pxrw_f32(a) * pxrw_f32(b));
}
static inline uint32_t pxrw_fma_f32(uint32_t a, uint32_t b, uint32_t c)
{
    return pxrw_canonical_f32(fmaf(pxrw_f32(a), pxrw_f32(b), pxrw_f32(c)));
}
static inline uint32_t pxrw_div_f32(uint32_t a, uint32_t b)
{
    return pxrw_canonical_f32(pxrw_f32(a) / pxrw_f32(b));
}
static inline uint32_t pxrw_sqrt_f32(uint32_t a)
{
    return pxrw_canonical_f32(sqrtf(pxrw_f32(a)));
}
static inline uint32_t pxrw_rcp_f32(uint32_t a)
{
    return pxrw_canonical_f32(1.0f / pxrw_f32(a));
}
static inline uint32_t pxrw_abs_f32(uint32_t a)
{
    return a & 0x7fffffffu;
}
static inline uint32_t pxrw_neg_f32(uint32_t a)
{
    return a ^ 0x80000000u;
}
/* The magnitude of `b` with the sign of `a`. */
static inline uint32_t pxrw_copysign_f32(uint32_t a, uint32_t b)
{
    return (a & 0x80000000u) | (b & 0x7fffffffu);
}

/* A quotient whose reciprocal of the divisor is flushed: a divisor of magnitude in (2^126, 2^128) counts as infinite. */
static inline uint32_t pxrw_div_approx_f32(uint32_t a, uint32_t b)
{
    uint32_t divisor = (b & 0x7fffffffu) > 0x7e800000u && (b & 0x7fffffffu) < 0x7f800000u ? (b & 0x80000000u) | 0x7f800000u : b;
    return pxrw_div_f32(a, divisor);
}

/* The nearest single to the reciprocal square root: a first result and the correction by its residual. The product is a sum of two singles, as
   its rounding error is as large as the residual. Zeros and infinities have no residual. */
static inline uint32_t pxrw_rsqrt_f32(uint32_t a)
{
    float x = pxrw_f32(a);
    float y = 1.0f / sqrtf(x);
    float product = x * y;
    float error = fmaf(x, y, -product);
    float residual = fmaf(-error, y, fmaf(-product, y, 1.0f));
    float root = fmaf(y * residual, fmaf(residual, 0.375f, 0.5f), y);
    return pxrw_canonical_f32(root != root ? y : root);
}

/* The smaller and the larger value; of a number and a NaN the number; -0 is smaller than +0. */
static inline uint32_t pxrw_min_f32(uint32_t a, uint32_t b)
{
    float x = pxrw_f32(a), y = pxrw_f32(b);
    uint32_t smaller = (x < y) | ((x == y) & (int)(a >> 31)) ? a : b;
    uint32_t number = x != x ? b : smaller;
    return y != y ? (x != x ? PXRW_NAN32 : a) : number;
}
static inline uint32_t pxrw_max_f32(uint32_t a, uint32_t b)
{
    float x = pxrw_f32(a), y = pxrw_f32(b);
    uint32_t larger = (x > y) | ((x == y) & (int)(b >> 31)) ? a : b;
    uint32_t number = x != x ? b : larger;
    return y != y ? (x != x ? PXRW_NAN32 : a) : number;
}
/* The same with NaN for any NaN (.NaN). */
static inline uint32_t pxrw_min_nan_f32(uint32_t a, uint32_t b)
{
    float x = pxrw_f32(a), y = pxrw_f32(b);
    return (x != x) | (y != y) ? PXRW_NAN32 : pxrw_min_f32(a, b);
}
static inline uint32_t pxrw_max_nan_f32(uint32_t a, uint32_t b)
{
    float x = pxrw_f32(a), y = pxrw_f32(b);
    return (x != x) | (y != y) ? PXRW_NAN32 : pxrw_max_f32(a, b);
}
/* A number with its sign flipped where the signs of `a` and `b` differ (.xorsign). */
static inline uint32_t pxrw_xorsign_f32(uint32_t value, uint32_t a, uint32_t b)
{
    return value == PXRW_NAN32 ? value : value ^ ((a ^ b) & 0x80000000u);
}

/* Functions of mathematics in double precision, rounded once. */
static inline uint32_t pxrw_sin_f32(uint32_t a)
{
    return pxrw_canonical_f32((float)sin((double)pxrw_f32(a)));
}
static inline uint32_t pxrw_cos_f32(uint32_t a)
{
    return pxrw_canonical_f32((float)cos((double)pxrw_f32(a)));
}
static inline uint32_t pxrw_ex2_f32(uint32_t a)
{
    return pxrw_canonical_f32((float)exp2((double)pxrw_f32(a)));
}
static inline uint32_t pxrw_lg2_f32(uint32_t a)
{
    return pxrw_canonical_f32((float)log2((double)pxrw_f32(a)));
}
static inline uint32_t pxrw_tanh_f32(uint32_t a)
{
    return pxrw_canonical_f32((float)tanh((double)pxrw_f32(a)));
}

/* With `.ftz` operands and results are flushed; with `.sat` the result is clamped. */
#define PXRW_FTZ1_F32(op)                                                                    \
    static inline uint32_t pxrw_##op##_ftz_f32(uint32_t a)                                   \
    {                                                                                        \
        return pxrw_flush_f32(pxrw_##op##_f32(pxrw_flush_f32(a)));                           \
    }
#define PXRW_FTZ2_F32(op)                                                                    \
    static inline uint32_t pxrw_##op##_ftz_f32(uint32_t a, uint32_t b)                       \
    {                                                                                        \
        return pxrw_flush_f32(pxrw_##op##_f32(pxrw_flush_f32(a), pxrw_flush_f32(b)));        \
    }
#define PXRW_FLAGS2_F32(op)                                                                  \
    PXRW_FTZ2_F32(op)                                                                        \
    static inline uint32_t pxrw_##op##_sat_f32(uint32_t a, uint32_t b)                       \
    {                                                                                        \
        return pxrw_saturate_f32(pxrw_##op##_f32(a, b));                                     \
    }                                                                                        \
    static inline uint32_t pxrw_##op##_ftz_sat_f32(uint32_t a, uint32_t b)                   \
    {                                                                                        \
        return pxrw_saturate_f32(pxrw_##op##_ftz_f32(a, b));                                 \
    }
#define PXRW_FLAGS3_F32(op)                                                                  \
    static inline uint32_t pxrw_##op##_ftz_f32(uint32_t a, uint32_t b, uint32_t c)           \
    {                                                                                        \
        return pxrw_flush_f32(pxrw_##op##_f32(pxrw_flush_f32(a), pxrw_flush_f32(b), pxrw_flush_f32(c))); \
    }                                                                                        \
    static inline uint32_t pxrw_##op##_sat_f32(uint32_t a, uint32_t b, uint32_t c)           \
    {                                                                                        \
        return pxrw_saturate_f32(pxrw_##op##_f32(a, b, c));                                  \
    }                                                                                        \
    static inline uint32_t pxrw_##op##_ftz_sat_f32(uint32_t a, uint32_t b, uint32_t c)       \
    {                                                                                        \
        return pxrw_saturate_f32(pxrw_##op##_ftz_f32(a, b, c));                              \
    }
PXRW_FTZ1_F32(sqrt)
PXRW_FTZ1_F32(rcp)
PXRW_FTZ1_F32(rsqrt)
PXRW_FTZ1_F32(abs)
PXRW_FTZ1_F32(neg)
PXRW_FTZ1_F32(sin)
PXRW_FTZ1_F32(cos)
PXRW_FTZ1_F32(ex2)
PXRW_FTZ1_F32(lg2)
PXRW_FTZ1_F32(tanh)
PXRW_FTZ2_F32(div)
PXRW_FTZ2_F32(div_approx)
PXRW_FTZ2_F32(min)
PXRW_FTZ2_F32(max)
PXRW_FTZ2_F32(min_nan)
PXRW_FTZ2_F32(max_nan)
PXRW_FLAGS2_F32(add)
PXRW_FLAGS2_F32(sub)
PXRW_FLAGS2_F32(mul)
PXRW_FLAGS3_F32(fma)

/* Two singles in one register: a function of singles for the lower and the upper ones. */
#define PXRW_F32X2_2(function, a, b) \
    (function((uint32_t)(a), (uint32_t)(b)) | (uint64_t)function((uint32_t)((a) >> 32), (uint32_t)((b) >> 32)) << 32)
#define PXRW_F32X2_3(function, a, b, c)                      \
    (function((uint32_t)(a), (uint32_t)(b), (uint32_t)(c)) | \
     (uint64_t)function((uint32_t)((a) >> 32), (uint32_t)((b) >> 32), (uint32_t)((c) >> 32)) << 32)

static inline uint64_t pxrw_add_f64(uint64_t a, uint64_t b)
{
    return pxrw_canonical_f64(pxrw_f64(a) + pxrw_f64(b));
}
static inline uint64_t pxrw_sub_f64(uint64_t a, uint64_t b)
{
    return pxrw_canonical_f64(pxrw_f64(a) - pxrw_f64(b));
}
static inline uint64_t pxrw_mul_f64(uint64_t a, uint64_t b)
{
    return pxrw_canonical_f64(pxrw_f64(a) * pxrw_f64(b));
}
static inline uint64_t pxrw_fma_f64(uint64_t a, uint64_t b, uint64_t c)
{
    return pxrw_canonical_f64(fma(pxrw_f64(a), pxrw_f64(b), pxrw_f64(c)));
}
static inline uint64_t pxrw_div_f64(uint64_t a, uint64_t b)
{
    return pxrw_canonical_f64(pxrw_f64(a) / pxrw_f64(b));
}
static inline uint64_t pxrw_sqrt_f64(uint64_t a)
{
    return pxrw_canonical_f64(sqrt(pxrw_f64(a)));
}
static inline uint64_t pxrw_rcp_f64(uint64_t a)
{
    return pxrw_canonical_f64(1.0 / pxrw_f64(a));
}
static inline uint64_t pxrw_rsqrt_f64(uint64_t a)
{
    return pxrw_canonical_f64(1.0 / sqrt(pxrw_f64(a)));
}
static inline uint64_t pxrw_abs_f64(uint64_t a)
{
    return a & UINT64_C(0x7fffffffffffffff);
}
static inline uint64_t pxrw_neg_f64(uint64_t a)
{
    return a ^ UINT64_C(0x8000000000000000);
}
static inline uint64_t pxrw_copysign_f64(uint64_t a, uint64_t b)
{
    return (a & UINT64_C(0x8000000000000000)) | (b & UINT64_C(0x7fffffffffffffff));
}
static inline uint64_t pxrw_min_f64(uint64_t a, uint64_t b)
{
    double x = pxrw_f64(a), y = pxrw_f64(b);
    uint64_t smaller = (x < y) | ((x == y) & (int)(a >> 63)) ? a : b;
    uint64_t number = x != x ? b : smaller;
    return y != y ? (x != x ? PXRW_NAN64 : a) : number;
}
static inline uint64_t pxrw_max_f64(uint64_t a, uint64_t b)
{
    double x = pxrw_f64(a), y = pxrw_f64(b);
    uint64_t larger = (x > y) | ((x == y) & (int)(b >> 63)) ? a : b;
    uint64_t number = x != x ? b : larger;
    return y != y ? (x != x ? PXRW_NAN64 : a) : number;
}

/* The properties of `testp`, by the magnitude of the bits. */
#define PXRW_TESTP(suffix, type, one, least, infinity)                                                                 \
    static inline uint8_t pxrw_testp_finite_##suffix(type a) { return (a << 1 >> 1) < infinity; }                      \
    static inline uint8_t pxrw_testp_infinite_##suffix(type a) { return (a << 1 >> 1) == infinity; }                   \
    static inline uint8_t pxrw_testp_number_##suffix(type a) { return (a << 1 >> 1) <= infinity; }                     \
    static inline uint8_t pxrw_testp_notanumber_##suffix(type a) { return (a << 1 >> 1) > infinity; }                  \
    static inline uint8_t pxrw_testp_normal_##suffix(type a) { return (a << 1 >> 1) >= least && (a << 1 >> 1) < infinity; } \
    static inline uint8_t pxrw_testp_subnormal_##suffix(type a) { return (a << 1 >> 1) >= one && (a << 1 >> 1) < least; }
PXRW_TESTP(f32, uint32_t, 1u, 0x00800000u, 0x7f800000u)
PXRW_TESTP(f64, uint64_t, 1u, UINT64_C(0x0010000000000000), UINT64_C(0x7ff0000000000000))
