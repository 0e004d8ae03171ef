/* Conversions between number formats. Needs rounding.h and half.h. */

/* The layout of a format below single precision. `infinity` and `nan` are 0 where it has none. */
struct pxrw_format {
    int fraction, bias;
    uint32_t largest, infinity, nan;
    int sign; /* the bit of the sign */
};

/* A power of two in the range of normal doubles. */
static inline double pxrw_power(int exponent)
{
    return pxrw_f64((uint64_t)(1023 + exponent) << 52);
}

/* The value of a code. */
static inline double pxrw_decode(struct pxrw_format format, uint32_t code)
{
    uint32_t magnitude = code & ((1u << format.sign) - 1), fraction = magnitude & ((1u << format.fraction) - 1);
    int exponent = (int)(magnitude >> format.fraction);
    uint32_t digits = exponent ? fraction | 1u << format.fraction : fraction;
    double value = (double)digits * pxrw_power((exponent ? exponent : 1) - format.bias - format.fraction);
    int not_finite = format.infinity && magnitude >= format.infinity;
    int is_nan = (format.infinity && magnitude > format.infinity) || (format.nan && magnitude == format.nan);
    value = not_finite ? HUGE_VAL : value;
    value = is_nan ? pxrw_f64(PXRW_NAN64) : value;
    return code >> format.sign & 1 ? -value : value;
}

/* The code of a value, rounded once. A value that is too large becomes infinite, or the largest one where there is no infinity, where `finite`
   asks for it, and where the mode does not round outwards. */
static inline uint32_t pxrw_encode(struct pxrw_format format, double value, enum pxrw_rounding mode, int finite)
{
    uint64_t bits = pxrw_bits64(value);
    int negative = (int)(bits >> 63), lowest = 1 - format.bias, exponent, up, outwards;
    uint32_t sign = (uint32_t)negative << format.sign, digits, code, overflow;
    double magnitude = fabs(value), scaled, whole, rest;
    outwards = mode == PXRW_NEAREST || mode == PXRW_AWAY || mode == (negative ? PXRW_DOWN : PXRW_UP);
    overflow = format.infinity && !finite && (outwards || magnitude == HUGE_VAL) ? format.infinity : format.largest;
    if (value != value)
        return format.nan ? format.nan : format.largest;
    if (magnitude == HUGE_VAL)
        return overflow | sign;
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < lowest ? lowest : exponent;
    scaled = magnitude * pxrw_power(format.fraction - exponent);
    whole = floor(scaled);
    rest = scaled - whole;
    digits = (uint32_t)whole;
    up = mode == PXRW_NEAREST ? rest > 0.5 || (rest == 0.5 && (digits & 1)) : mode == PXRW_AWAY ? rest >= 0.5 : outwards && rest > 0.0;
    /* A carry out of the fraction goes into the exponent by itself. */
    code = ((uint32_t)(exponent - lowest) << format.fraction) + digits + (uint32_t)up;
    return (code > format.largest ? overflow : code) | sign;
}

#define PXRW_FORMAT(name, fraction, bias, largest, infinity, nan, sign)                                     \
    static inline double pxrw_decode_##name(uint32_t code)                                                  \
    {                                                                                                       \
        struct pxrw_format format = {fraction, bias, largest, infinity, nan, sign};                         \
        return pxrw_decode(format, code);                                                                   \
    }                                                                                                       \
    static inline uint32_t pxrw_encode_##name(double value, enum pxrw_rounding mode, int finite)            \
    {                                                                                                       \
        struct pxrw_format format = {fraction, bias, largest, infinity, nan, sign};                         \
        return pxrw_encode(format, value, mode, finite);                                                    \
    }
PXRW_FORMAT(f16, 10, 15, 0x7bffu, 0x7c00u, 0x7fffu, 15)
PXRW_FORMAT(bf16, 7, 127, 0x7f7fu, 0x7f80u, 0x7fffu, 15)
PXRW_FORMAT(tf32, 10, 127, 0x3fbffu, 0x3fc00u, 0x3ffffu, 18)
PXRW_FORMAT(e4m3, 3, 7, 0x7eu, 0u, 0x7fu, 7)
PXRW_FORMAT(e5m2, 2, 15, 0x7bu, 0x7cu, 0x7fu, 7)
PXRW_FORMAT(e2m3, 3, 1, 0x1fu, 0u, 0u, 5)
PXRW_FORMAT(e3m2, 2, 3, 0x1fu, 0u, 0u, 5)
PXRW_FORMAT(e2m1, 1, 1, 0x7u, 0u, 0u, 3)

/* The scale factor .ue8m0 next to a magnitude: an exponent and nothing else. */
static inline uint32_t pxrw_encode_ue8m0(double value, enum pxrw_rounding mode, int finite)
{
    double magnitude = fabs(value);
    int exponent = (int)(pxrw_bits64(magnitude) >> 52) - 1023;
    int code = (exponent < -127 ? -127 : exponent) + 127;
    code += mode == PXRW_UP && code <= 0xff && magnitude > pxrw_power(code - 127);
    if (value != value)
        return 0xff;
    return code <= 0xfe ? (uint32_t)code : finite ? 0xfeu : 0xffu;
}
static inline double pxrw_decode_ue8m0(uint32_t code)
{
    return code == 0xff ? pxrw_f64(PXRW_NAN64) : pxrw_power((int)code - 127);
}

/* tf32 is in the upper bits of a single; the lower ones of its canonical NaN are set. */
static inline uint32_t pxrw_tf32_of_f32(double value, enum pxrw_rounding mode, int finite)
{
    return value != value ? PXRW_NAN32 : pxrw_encode_tf32(value, mode, finite) << 13;
}

/* The larger one of a value and zero; NaN stays (.relu). */
static inline double pxrw_relu(double value)
{
    return value <= 0.0 ? 0.0 : value;
}
/* The value clamped to [0, 1]; 0 for NaN (.sat). */
static inline double pxrw_saturate(double value)
{
    return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

/* A single as a bf16, one step away from zero if the 16 bits that are dropped and 16 random ones make a carry. */
static inline double pxrw_random_bf16(uint32_t a, uint32_t random)
{
    uint32_t sum = (a + (random & 0xffffu)) & 0xffff0000u;
    return pxrw_f32((a & 0x7f800000u) == 0x7f800000u ? a : sum);
}

/* Singles and doubles as integral values of the same format. */
#define PXRW_INTEGRAL(name, single, twofold)                            \
    static inline uint32_t pxrw_##name##_f32(uint32_t a)                \
    {                                                                   \
        return pxrw_canonical_f32(single(pxrw_f32(a)));                 \
    }                                                                   \
    static inline uint64_t pxrw_##name##_f64(uint64_t a)                \
    {                                                                   \
        return pxrw_canonical_f64(twofold(pxrw_f64(a)));                \
    }
PXRW_INTEGRAL(rni, rintf, rint)
PXRW_INTEGRAL(rzi, truncf, trunc)
PXRW_INTEGRAL(rmi, floorf, floor)
PXRW_INTEGRAL(rpi, ceilf, ceil)

/* An integral single as an integer of 32 bits; 0 for NaN. */
static inline uint32_t pxrw_s32_of_f32(uint32_t a)
{
    float value = pxrw_f32(a);
    int32_t inside = value >= -2147483648.0f && value < 2147483648.0f ? (int32_t)value : 0;
    int32_t low = value < -2147483648.0f ? INT32_MIN : inside;
    return (uint32_t)(value >= 2147483648.0f ? INT32_MAX : low);
}
static inline uint32_t pxrw_u32_of_f32(uint32_t a)
{
    float value = pxrw_f32(a);
    uint32_t inside = value > 0.0f && value < 4294967296.0f ? (uint32_t)value : 0u;
    return value >= 4294967296.0f ? UINT32_MAX : inside;
}
/* An integral double as an integer of up to 64 bits, clamped; `nan` for NaN. */
static inline int64_t pxrw_signed_of_f64(double value, int bits, int64_t nan)
{
    double limit = pxrw_power(bits - 1);
    int64_t high = (int64_t)(UINT64_MAX >> (65 - bits));
    return value != value ? nan : value >= limit ? high : value <= -limit ? -high - 1 : (int64_t)value;
}
static inline uint64_t pxrw_unsigned_of_f64(double value, int bits, uint64_t nan)
{
    return value != value ? nan : value >= pxrw_power(bits) ? UINT64_MAX >> (64 - bits) : value > 0.0 ? (uint64_t)value : 0u;
}

/* Integers as floats, in a direction. */
static inline float pxrw_s64_to_single(int64_t value, enum pxrw_rounding mode)
{
    float nearest = (float)value;
    pxrw_exact_difference error = (pxrw_exact_difference)value - (pxrw_exact_difference)nearest;
    return pxrw_stepped_f32(nearest, pxrw_step(mode, nearest, (double)error));
}
static inline float pxrw_u64_to_single(uint64_t value, enum pxrw_rounding mode)
{
    float nearest = (float)value;
    pxrw_exact_difference error = (pxrw_exact_difference)value - (pxrw_exact_difference)nearest;
    return pxrw_stepped_f32(nearest, pxrw_step(mode, nearest, (double)error));
}
static inline double pxrw_s64_to_double(int64_t value, enum pxrw_rounding mode)
{
    double nearest = (double)value;
    pxrw_exact_difference error = (pxrw_exact_difference)value - (pxrw_exact_difference)nearest;
    return pxrw_stepped_f64(nearest, pxrw_step(mode, nearest, (double)error));
}
static inline double pxrw_u64_to_double(uint64_t value, enum pxrw_rounding mode)
{
    double nearest = (double)value;
    pxrw_exact_difference error = (pxrw_exact_difference)value - (pxrw_exact_difference)nearest;
    return pxrw_stepped_f64(nearest, pxrw_step(mode, nearest, (double)error));
}
/* An integer as a double; what is between two doubles becomes the odd one, which no narrower format takes for a tie. */
static inline double pxrw_s64_to_odd(int64_t value)
{
    double below = pxrw_s64_to_double(value, PXRW_ZERO);
    return pxrw_f64(pxrw_bits64(below) | ((pxrw_exact_difference)below != value));
}
static inline double pxrw_u64_to_odd(uint64_t value)
{
    double below = pxrw_u64_to_double(value, PXRW_ZERO);
    return pxrw_f64(pxrw_bits64(below) | ((pxrw_exact_difference)below != (pxrw_exact_difference)value));
}

/* Integers clamped to a range. */
static inline int64_t pxrw_clamp_signed(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}
static inline uint64_t pxrw_clamp_unsigned(uint64_t value, uint64_t high)
{
    return value > high ? high : value;
}

/* `cvt.pack`: two integers clamped to a width and put side by side; what stays free above them is taken from `above`. */
static inline uint32_t pxrw_pack_integers(uint32_t a, uint32_t b, uint32_t above, int bits, int is_signed)
{
    int64_t size = (int64_t)1 << bits, low = is_signed ? -size / 2 : 0, high = low + size - 1;
    uint32_t upper = (uint32_t)pxrw_clamp_signed((int32_t)a, low, high) & (uint32_t)(size - 1);
    uint32_t lower = (uint32_t)pxrw_clamp_signed((int32_t)b, low, high) & (uint32_t)(size - 1);
    return lower | upper << bits | (bits < 16 ? above << (2 * bits) : 0u);
}
