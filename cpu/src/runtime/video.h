/* Video instructions: operations on two elements, which are extended to 32 or 64 bits. */

#define PXRW_VIDEO(width, type)                                                        \
    static inline type pxrw_video_min_##width(type a, type b)                          \
    {                                                                                  \
        return a < b ? a : b;                                                          \
    }                                                                                  \
    static inline type pxrw_video_max_##width(type a, type b)                          \
    {                                                                                  \
        return a > b ? a : b;                                                          \
    }                                                                                  \
    static inline type pxrw_video_difference_##width(type a, type b)                   \
    {                                                                                  \
        return a > b ? a - b : b - a;                                                  \
    }                                                                                  \
    static inline type pxrw_video_clamp_##width(type value, int64_t low, int64_t high) \
    {                                                                                  \
        return value < (type)low ? (type)low : value > (type)high ? (type)high : value;\
    }
PXRW_VIDEO(32, int32_t)
PXRW_VIDEO(64, int64_t)
PXRW_VIDEO(128, pxrw_int128)

/* The mean, rounded up where the sum is not negative. */
static inline int32_t pxrw_video_average_32(int32_t a, int32_t b)
{
    return (a + b + (a + b >= 0)) >> 1;
}

/* Shifts by the low 5 bits of an amount, or by an amount between 0 and 32. */
static inline int64_t pxrw_video_left_clamp(int64_t a, int64_t by)
{
    const int64_t amount = by < 0 ? 0 : by > 32 ? 32 : by;
    /* Only this result does not fit. Its replacement saturates to the same limit and has the same low bits. */
    if (amount == 32 && a > INT32_MAX)
        return INT64_MAX - UINT32_MAX;
    return a * (INT64_C(1) << amount);
}
static inline int64_t pxrw_video_left_wrap(int64_t a, int64_t by)
{
    return pxrw_video_left_clamp(a, by & 31);
}
static inline int64_t pxrw_video_right_clamp(int64_t a, int64_t by)
{
    return a >> (by < 0 ? 0 : by > 32 ? 32 : by);
}
static inline int64_t pxrw_video_right_wrap(int64_t a, int64_t by)
{
    return a >> (by & 31);
}
