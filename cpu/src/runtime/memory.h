/* Accesses that order others, and tests of addresses. */

/* Acquire loads and release stores at aligned addresses. Volatile, relaxed and mmio accesses are of this kind, too. */
#define PXRW_ORDERED(bits)                                                                        \
    static inline uint##bits##_t pxrw_load##bits##_ordered(const unsigned char *from)             \
    {                                                                                             \
        return __atomic_load_n((const uint##bits##_t *)(const void *)from, __ATOMIC_ACQUIRE);     \
    }                                                                                             \
    static inline void pxrw_store##bits##_ordered(unsigned char *to, uint##bits##_t value)        \
    {                                                                                             \
        __atomic_store_n((uint##bits##_t *)(void *)to, value, __ATOMIC_RELEASE);                  \
    }
PXRW_ORDERED(8)
PXRW_ORDERED(16)
PXRW_ORDERED(32)
PXRW_ORDERED(64)

/* 1 if an address is within a range of bytes, else 0. */
static inline uint8_t pxrw_is_inside(uint64_t address, const void *start, uint64_t bytes)
{
    return address - (uint64_t)(uintptr_t)start < bytes;
}
