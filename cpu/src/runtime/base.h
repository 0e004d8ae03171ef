/* What every translated kernel needs: types, accesses to memory, and what a launch is told. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#define PXRW_ALIGN(bytes) alignas(bytes)
#else
#define PXRW_ALIGN(bytes) _Alignas(bytes)
#endif

/* A variable of the module that no kernel here may mention. */
#define PXRW_UNUSED __attribute__((unused))

/* Two halves of a register of 128 bits. */
typedef struct pxrw_u128 {
    uint64_t low, high;
} pxrw_u128;

/* Accesses at any alignment, so that no rule of C about types is broken. */
#define PXRW_ACCESS(bits)                                                         \
    static inline uint##bits##_t pxrw_load##bits(const unsigned char *from)       \
    {                                                                             \
        uint##bits##_t value;                                                     \
        memcpy(&value, from, sizeof value);                                       \
        return value;                                                             \
    }                                                                             \
    static inline void pxrw_store##bits(unsigned char *to, uint##bits##_t value)  \
    {                                                                             \
        memcpy(to, &value, sizeof value);                                         \
    }
PXRW_ACCESS(8)
PXRW_ACCESS(16)
PXRW_ACCESS(32)
PXRW_ACCESS(64)

/* Floats and their bits. */
static inline float pxrw_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint32_t pxrw_bits32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double pxrw_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline uint64_t pxrw_bits64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Time, as clocks count it: nanoseconds. */
static inline uint64_t pxrw_nanoseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline uint64_t pxrw_clock(void)
{
    return pxrw_nanoseconds();
}
