/* Directed rounding of arithmetic and of conversions. Needs float.h.

   Single precision is computed in double precision rounded to odd, from which any final rounding is right. Double precision is computed to nearest
   together with the exact error (Dekker, Knuth; for multiply-add Boldo and Muller), whose sign says to which neighbour a directed rounding moves.
   Where an error term could underflow or overflow, its sign is computed with integers. */

enum pxrw_rounding {
    PXRW_NEAREST,
    PXRW_ZERO,
    PXRW_DOWN,
    PXRW_UP,
    PXRW_AWAY /* to nearest, ties away from zero */
};

enum pxrw_operation {
    PXRW_ADD,
    PXRW_SUBTRACT,
    PXRW_MULTIPLY,
    PXRW_MULTIPLY_ADD,
    PXRW_DIVIDE,
    PXRW_ROOT
};

__extension__ typedef unsigned __int128 pxrw_exact_product;
__extension__ typedef __int128 pxrw_exact_difference;

static inline uint32_t pxrw_up_f32(uint32_t a)
{
    uint32_t other = a >> 31 ? a - 1 : a + 1;
    return (a & 0x7fffffffu) == 0 ? 1u : other;
}
static inline uint32_t pxrw_down_f32(uint32_t a)
{
    return pxrw_up_f32(a ^ 0x80000000u) ^ 0x80000000u;
}
static inline uint64_t pxrw_up_f64(uint64_t a)
{
    uint64_t other = a >> 63 ? a - 1 : a + 1;
    return (a & UINT64_C(0x7fffffffffffffff)) == 0 ? 1u : other;
}
static inline uint64_t pxrw_down_f64(uint64_t a)
{
    return pxrw_up_f64(a ^ UINT64_C(0x8000000000000000)) ^ UINT64_C(0x8000000000000000);
}

/* The direction in which a result must move that differs from the exact one by `error`. */
static inline int pxrw_step(enum pxrw_rounding mode, double value, double error)
{
    int down = (error < 0.0) & ((mode == PXRW_DOWN) | ((mode == PXRW_ZERO) & (value > 0.0)));
    int up = (error > 0.0) & ((mode == PXRW_UP) | ((mode == PXRW_ZERO) & (value < 0.0)));
    return up - down;
}
static inline float pxrw_stepped_f32(float value, int step)
{
    uint32_t bits = pxrw_bits32(value);
    uint32_t up = step > 0 ? pxrw_up_f32(bits) : bits;
    return pxrw_f32(step < 0 ? pxrw_down_f32(bits) : up);
}
static inline double pxrw_stepped_f64(double value, int step)
{
    uint64_t bits = pxrw_bits64(value);
    uint64_t up = step > 0 ? pxrw_up_f64(bits) : bits;
    return pxrw_f64(step < 0 ? pxrw_down_f64(bits) : up);
}

/* A double as the nearest single in a direction. */
static inline float pxrw_to_single(double value, enum pxrw_rounding mode)
{
    float nearest = (float)value;
    float stepped = pxrw_stepped_f32(nearest, pxrw_step(mode, nearest, value - nearest));
    int inwards = (mode == PXRW_ZERO) | ((mode == PXRW_DOWN) == (value > 0.0));
    float overflow = inwards ? copysignf(3.40282347e+38f, nearest) : nearest;
    float finite = fabsf(nearest) == HUGE_VALF ? overflow : stepped;
    return (mode == PXRW_NEAREST) | (nearest != nearest) | (fabs(value) == HUGE_VAL) ? nearest : finite;
}

/* A value without its fraction. */
static inline double pxrw_integral(double value, enum pxrw_rounding mode)
{
    return mode == PXRW_ZERO ? trunc(value) : mode == PXRW_DOWN ? floor(value) : mode == PXRW_UP ? ceil(value) : rint(value);
}

/* A sum to nearest and its exact error. */
static inline double pxrw_two_sum(double a, double b, double *error)
{
    double sum = a + b;
    double part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/* A result to nearest, and a value with the sign of its error where no error term underflows or overflows. */
static inline double pxrw_with_error(enum pxrw_operation operation, double a, double b, double c, double *error)
{
    double result = 0.0, product, rest, beta, alpha_error, beta_error;
    switch (operation) {
    case PXRW_ADD:
        return pxrw_two_sum(a, b, error);
    case PXRW_SUBTRACT:
        return pxrw_two_sum(a, -b, error);
    case PXRW_MULTIPLY:
        result = a * b;
        *error = fma(a, b, -result);
        break;
    case PXRW_MULTIPLY_ADD:
        result = fma(a, b, c);
        product = a * b;
        rest = pxrw_two_sum(c, fma(a, b, -product), &alpha_error);
        beta = pxrw_two_sum(product, rest, &beta_error);
        *error = ((beta - result) + beta_error) + alpha_error;
        break;
    case PXRW_DIVIDE:
        /* Only the sign of the remainder counts. */
        result = a / b;
        *error = fma(-result, b, a) * copysign(1.0, b);
        break;
    case PXRW_ROOT:
        result = sqrt(a);
        *error = fma(-result, result, a);
        break;
    }
    return result;
}

/* An exact zero that came from operands of different signs is negative when rounding down. */
static inline double pxrw_zero_sign(enum pxrw_operation operation, double a, double b, double c, enum pxrw_rounding mode, double result)
{
    int x = signbit(a) != 0, y = signbit(b) != 0, z = signbit(c) != 0;
    int cancels = operation == PXRW_ADD ? x != y : operation == PXRW_SUBTRACT ? x == y : operation == PXRW_MULTIPLY_ADD ? (x != y) != z : 0;
    return cancels & (mode == PXRW_DOWN) & (result == 0.0) ? -0.0 : result;
}

/* The operation on values of at most single precision, rounded to odd in double precision. `mode` is that of the rounding that follows. */
static inline double pxrw_to_odd(enum pxrw_operation operation, double a, double b, double c, enum pxrw_rounding mode)
{
    double error, result;
    uint64_t bits;
    if (operation == PXRW_MULTIPLY_ADD) /* The product of two singles is exact. */
        result = pxrw_two_sum(a * b, c, &error);
    else
        result = pxrw_with_error(operation, a, b, c, &error);
    bits = pxrw_bits64(result);
    bits = ((error > 0.0) == (result > 0.0) ? bits : bits - 1) | 1;
    return !(fabs(result) < HUGE_VAL) ? result
           : (error < 0.0) | (error > 0.0) ? pxrw_f64(bits)
                                           : pxrw_zero_sign(operation, a, b, c, mode, result);
}

/* The operation in single precision. */
static inline uint32_t pxrw_round_f32(enum pxrw_operation operation, uint32_t a, uint32_t b, uint32_t c, enum pxrw_rounding mode)
{
    return pxrw_canonical_f32(pxrw_to_single(pxrw_to_odd(operation, pxrw_f32(a), pxrw_f32(b), pxrw_f32(c), mode), mode));
}

/* Adds a product of two finite doubles, in units of 2^-2148, to an integer of 67 words. */
static inline void pxrw_accumulate(uint64_t sum[67], double x, double y)
{
    uint64_t p = pxrw_bits64(x), q = pxrw_bits64(y), fill = (p ^ q) >> 63 ? UINT64_MAX : 0;
    unsigned e = p >> 52 & 0x7ff, f = q >> 52 & 0x7ff, at, shift, word;
    uint64_t m = (p & UINT64_C(0xfffffffffffff)) | (uint64_t)(e != 0) << 52;
    uint64_t n = (q & UINT64_C(0xfffffffffffff)) | (uint64_t)(f != 0) << 52;
    pxrw_exact_product digits = (pxrw_exact_product)m * n, low, carry = fill & 1;
    uint64_t parts[3];
    at = (e ? e - 1 : 0) + (f ? f - 1 : 0);
    shift = at % 64;
    low = digits << shift;
    parts[0] = (uint64_t)low;
    parts[1] = (uint64_t)(low >> 64);
    parts[2] = shift ? (uint64_t)(digits >> (128 - shift)) : 0;
    /* Subtraction adds the complement and one. */
    for (word = at / 64; word < 67; ++word) {
        uint64_t part = word - at / 64 < 3 ? parts[word - at / 64] : 0;
        pxrw_exact_product total = (pxrw_exact_product)sum[word] + (part ^ fill) + carry;
        sum[word] = (uint64_t)total;
        carry = total >> 64;
    }
}

/* The sign of a * b + c * d - e * f, exactly. */
static inline double pxrw_exact_sign(double a, double b, double c, double d, double e, double f)
{
    uint64_t sum[67] = {0}, any = 0;
    int word;
    pxrw_accumulate(sum, a, b);
    pxrw_accumulate(sum, c, d);
    pxrw_accumulate(sum, -e, f);
    for (word = 0; word < 67; ++word)
        any |= sum[word];
    return sum[66] >> 63 ? -1.0 : any ? 1.0 : 0.0;
}

/* The result to nearest in double precision and the sign of its error, from integers. */
static inline double pxrw_with_exact_sign(enum pxrw_operation operation, double a, double b, double c, double *error)
{
    double result = 0.0;
    switch (operation) {
    case PXRW_ADD: result = a + b; break;
    case PXRW_SUBTRACT: result = a - b; break;
    case PXRW_MULTIPLY: result = a * b; break;
    case PXRW_MULTIPLY_ADD: result = fma(a, b, c); break;
    case PXRW_DIVIDE: result = a / b; break;
    case PXRW_ROOT: result = sqrt(a); break;
    }
    *error = 0.0;
    if (!(fabs(result) < HUGE_VAL) || !(fabs(b) < HUGE_VAL))
        return result;
    switch (operation) {
    case PXRW_ADD:
        *error = pxrw_exact_sign(a, 1.0, b, 1.0, result, 1.0);
        break;
    case PXRW_SUBTRACT:
        *error = pxrw_exact_sign(a, 1.0, -b, 1.0, result, 1.0);
        break;
    case PXRW_MULTIPLY:
        if (a != 0.0 && b != 0.0)
            *error = pxrw_exact_sign(a, b, 0.0, 0.0, result, 1.0);
        break;
    case PXRW_MULTIPLY_ADD:
        if (a != 0.0 && b != 0.0)
            *error = pxrw_exact_sign(a, b, c, 1.0, result, 1.0);
        break;
    case PXRW_DIVIDE:
        if (a != 0.0)
            *error = pxrw_exact_sign(a, 1.0, 0.0, 0.0, result, b) * copysign(1.0, b);
        break;
    case PXRW_ROOT:
        if (a != 0.0)
            *error = pxrw_exact_sign(a, 1.0, 0.0, 0.0, result, result);
        break;
    }
    return result;
}

/* Magnitudes of which no error term underflows, and of which no intermediate sum overflows: from 2^-900 to 2^1000. */
static inline int pxrw_is_small(double value)
{
    return fabs(value) <= pxrw_f64(UINT64_C(2023) << 52);
}
static inline int pxrw_is_moderate(double value)
{
    return fabs(value) >= pxrw_f64(UINT64_C(123) << 52) && pxrw_is_small(value);
}

/* The operation in double precision. */
static inline uint64_t pxrw_round_f64(enum pxrw_operation operation, uint64_t a, uint64_t b, uint64_t c, enum pxrw_rounding mode)
{
    double x = pxrw_f64(a), y = pxrw_f64(b), z = pxrw_f64(c), error, result;
    int exact, step;
    switch (operation) {
    case PXRW_ADD:
    case PXRW_SUBTRACT: exact = pxrw_is_small(x) && pxrw_is_small(y); break;
    case PXRW_MULTIPLY: exact = pxrw_is_moderate(x * y); break;
    case PXRW_MULTIPLY_ADD: exact = pxrw_is_moderate(x * y) && pxrw_is_small(z); break;
    default: exact = pxrw_is_moderate(x); break;
    }
    result = exact ? pxrw_with_error(operation, x, y, z, &error) : pxrw_with_exact_sign(operation, x, y, z, &error);
    if (result != result)
        return PXRW_NAN64;
    if (fabs(result) == HUGE_VAL) {
        int finite = fabs(x) < HUGE_VAL && fabs(y) < HUGE_VAL && fabs(z) < HUGE_VAL && !(operation == PXRW_DIVIDE && y == 0.0);
        int inwards = mode == PXRW_ZERO || (mode == PXRW_DOWN) == (result > 0.0);
        return finite && inwards ? pxrw_bits64(result) - 1 : pxrw_bits64(result);
    }
    step = pxrw_step(mode, result, error);
    /* A result that underflowed to zero is not an exact zero and keeps its sign. */
    return pxrw_bits64(step == 0 && error == 0.0 ? pxrw_zero_sign(operation, x, y, z, mode, result) : pxrw_stepped_f64(result, step));
}

#define PXRW_DIRECTED_BITS(name, mode, suffix, type, one)                                     \
    static inline type pxrw_add_##name##_##suffix(type a, type b)                             \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_ADD, a, b, 0, mode);                                  \
    }                                                                                         \
    static inline type pxrw_sub_##name##_##suffix(type a, type b)                             \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_SUBTRACT, a, b, 0, mode);                             \
    }                                                                                         \
    static inline type pxrw_mul_##name##_##suffix(type a, type b)                             \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_MULTIPLY, a, b, 0, mode);                             \
    }                                                                                         \
    static inline type pxrw_fma_##name##_##suffix(type a, type b, type c)                     \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_MULTIPLY_ADD, a, b, c, mode);                         \
    }                                                                                         \
    static inline type pxrw_div_##name##_##suffix(type a, type b)                             \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_DIVIDE, a, b, 0, mode);                               \
    }                                                                                         \
    static inline type pxrw_rcp_##name##_##suffix(type a)                                     \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_DIVIDE, one, a, 0, mode);                             \
    }                                                                                         \
    static inline type pxrw_sqrt_##name##_##suffix(type a)                                    \
    {                                                                                         \
        return pxrw_round_##suffix(PXRW_ROOT, a, 0, 0, mode);                                 \
    }
#define PXRW_DIRECTED(name, mode)                                                             \
    PXRW_DIRECTED_BITS(name, mode, f32, uint32_t, 0x3f800000u)                                \
    PXRW_DIRECTED_BITS(name, mode, f64, uint64_t, UINT64_C(0x3ff0000000000000))               \
    PXRW_FLAGS2_F32(add_##name)                                                               \
    PXRW_FLAGS2_F32(sub_##name)                                                               \
    PXRW_FLAGS2_F32(mul_##name)                                                               \
    PXRW_FLAGS3_F32(fma_##name)                                                               \
    PXRW_FTZ2_F32(div_##name)                                                                 \
    PXRW_FTZ1_F32(rcp_##name)                                                                 \
    PXRW_FTZ1_F32(sqrt_##name)
PXRW_DIRECTED(rz, PXRW_ZERO)
PXRW_DIRECTED(rm, PXRW_DOWN)
PXRW_DIRECTED(rp, PXRW_UP)
