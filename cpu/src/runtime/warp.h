/*
 * Operations that lanes of a warp execute together. Each lane leaves its operands in the block when it comes to one; `values` has those of the lanes of the group.
 */

/* Copies the values that the lanes of a group have left. */
static inline void pxrw_gather(const pxrw_cta *cta, uint32_t warp, uint32_t group, uint64_t *values)
{
    for (uint32_t lane = 0; lane < PXRW_WARP_SIZE; ++lane)
        values[lane] = group >> lane & 1u ? cta->value[warp * PXRW_WARP_SIZE + lane] : 0;
}

/* The lanes of a group whose value is not 0. */
static inline uint32_t pxrw_ballot(uint32_t group, const uint64_t *values)
{
    uint32_t ballot = 0;
    for (uint32_t lane = 0; lane < PXRW_WARP_SIZE; ++lane)
        ballot |= (uint32_t)(values[lane] != 0) << lane;
    return ballot & group;
}

/* `shfl`: a lane's result, and in *inside whether its source is in its segment. A source that is not gives the lane's own value. */
static inline uint32_t pxrw_shuffle(const uint64_t *values, uint32_t lane, uint32_t source, uint32_t is_inside, uint8_t *inside)
{
    *inside = (uint8_t)is_inside;
    return (uint32_t)values[(is_inside ? source : lane) & 31u];
}
static inline uint32_t pxrw_shfl_up(const uint64_t *values, uint32_t lane, uint32_t b, uint32_t c, uint8_t *inside)
{
    const uint32_t by = b & 31u, segment = c >> 8 & 31u, limit = (lane & segment) | (c & 31u & ~segment);
    return pxrw_shuffle(values, lane, lane - by, (int32_t)lane - (int32_t)by >= (int32_t)limit, inside);
}
static inline uint32_t pxrw_shfl_down(const uint64_t *values, uint32_t lane, uint32_t b, uint32_t c, uint8_t *inside)
{
    const uint32_t by = b & 31u, segment = c >> 8 & 31u, limit = (lane & segment) | (c & 31u & ~segment);
    return pxrw_shuffle(values, lane, lane + by, lane + by <= limit, inside);
}
static inline uint32_t pxrw_shfl_bfly(const uint64_t *values, uint32_t lane, uint32_t b, uint32_t c, uint8_t *inside)
{
    const uint32_t by = b & 31u, segment = c >> 8 & 31u, limit = (lane & segment) | (c & 31u & ~segment);
    return pxrw_shuffle(values, lane, lane ^ by, (lane ^ by) <= limit, inside);
}
static inline uint32_t pxrw_shfl_idx(const uint64_t *values, uint32_t lane, uint32_t b, uint32_t c, uint8_t *inside)
{
    const uint32_t by = b & 31u, segment = c >> 8 & 31u, limit = (lane & segment) | (c & 31u & ~segment);
    const uint32_t source = (lane & segment) | (by & ~segment);
    return pxrw_shuffle(values, lane, source, source <= limit, inside);
}

/* `match.any`: the lanes of the group that have a lane's value. */
static inline uint32_t pxrw_match_any(uint32_t group, const uint64_t *values, uint32_t lane)
{
    uint32_t same = 0;
    for (uint32_t other = 0; other < PXRW_WARP_SIZE; ++other)
        same |= (uint32_t)(values[other] == values[lane]) << other;
    return same & group;
}

/* `match.all`: the group if all of its lanes have one value, else 0. */
static inline uint32_t pxrw_match_all(uint32_t group, const uint64_t *values)
{
    return pxrw_match_any(group, values, pxrw_lowest(group)) == group ? group : 0;
}

/* `redux`: integers. */
#define PXRW_REDUX(name, type, combined)                                                                        \
    static inline uint32_t pxrw_redux_##name(uint32_t group, const uint64_t *values)                            \
    {                                                                                                           \
        type a = (type)values[pxrw_lowest(group)];                                                              \
        for (uint32_t rest = group & (group - 1); rest != 0; rest &= rest - 1) {                                \
            const type b = (type)values[pxrw_lowest(rest)];                                                     \
            a = combined;                                                                                       \
        }                                                                                                       \
        return (uint32_t)a;                                                                                     \
    }
PXRW_REDUX(add, uint32_t, a + b)
PXRW_REDUX(and, uint32_t, a & b)
PXRW_REDUX(or, uint32_t, a | b)
PXRW_REDUX(xor, uint32_t, a ^ b)
PXRW_REDUX(min_u32, uint32_t, a < b ? a : b)
PXRW_REDUX(max_u32, uint32_t, a > b ? a : b)
PXRW_REDUX(min_s32, int32_t, a < b ? a : b)
PXRW_REDUX(max_s32, int32_t, a > b ? a : b)

/* `redux` of singles. The result for no number is the canonical NaN. */
static inline uint32_t pxrw_redux_f32(uint32_t group, const uint64_t *values, uint32_t largest, uint32_t magnitudes, uint32_t nan_wins)
{
    const uint32_t nan = 0x7fffffffu, clear = magnitudes ? 0x7fffffffu : ~0u;
    uint32_t a = (uint32_t)values[pxrw_lowest(group)] & clear;
    for (uint32_t rest = group & (group - 1); rest != 0; rest &= rest - 1) {
        const uint32_t b = (uint32_t)values[pxrw_lowest(rest)] & clear;
        const float x = pxrw_f32(a), y = pxrw_f32(b);
        const int a_is_nan = x != x, b_is_nan = y != y;
        if (nan_wins ? a_is_nan || b_is_nan : a_is_nan && b_is_nan)
            a = nan;
        else if (a_is_nan || b_is_nan)
            a = a_is_nan ? b : a;
        else if (largest ? x < y || (x == y && a >> 31) : y < x || (x == y && b >> 31))
            a = b;
    }
    return pxrw_f32(a) != pxrw_f32(a) ? nan : a;
}
