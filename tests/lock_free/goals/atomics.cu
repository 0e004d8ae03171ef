// Read, modify and write by compare and swap: operations that the hardware has not.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ float float_max = -1.0f, float_sum, float_product = 1.0f;
__device__ double double_sum, double_min = 1e30;
__device__ unsigned bytes_word, halves_word, saturating, wrapping, field_word, best_word, clamp_word, sticky, gcd_word = 720720, mean_word, bounded_word = 40;
__device__ Word best_pair = ~0ull, complex_word, moments_word, product64 = 1, time_stamp;
__device__ __align__(16) unsigned wide_counter[4], wide_top[4];

// nothing: float_maximum
// Largest float: gives up as soon as the number in memory is not smaller.
extern "C" __global__ void float_maximum(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    float mine = threadIdx.x;
    int old = *(volatile int *)&float_max;
    while (__int_as_float(old) < mine) {
        int seen = atomicCAS((int *)&float_max, old, __float_as_int(mine));
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: float_addition
// Sum of floats; the numbers are compared as integers, so that NaN is equal to itself.
extern "C" __global__ void float_addition(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    int *word = (int *)&float_sum, old = *(volatile int *)word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
    } while (old != assumed);
    atomicAdd(b, 1);
}

// nothing: double_addition
// Sum of doubles, by a template.
template <typename T, typename F> __device__ T update(T *place, F change) {
    static_assert(sizeof(T) == 8, "64 bits");
    Word *word = (Word *)place, old = *(volatile Word *)word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, (Word)__double_as_longlong(change(__longlong_as_double(assumed))));
    } while (old != assumed);
    return __longlong_as_double(old);
}
extern "C" __global__ void double_addition(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    update(&double_sum, [](double x) { return x + 0.5; });
    atomicAdd(b, 1);
}

// nothing: double_minimum
// Smallest double: reads again after each failed swap.
extern "C" __global__ void double_minimum(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    double mine = 100.0 - threadIdx.x, old;
    while ((old = *(volatile double *)&double_min) > mine) {
        Word bits = __double_as_longlong(old);
        if (atomicCAS((Word *)&double_min, bits, (Word)__double_as_longlong(mine)) == bits) break;
    }
    atomicAdd(b, 1);
}

// nothing: byte_addition
// Adds to one byte of a word.
extern "C" __global__ void byte_addition(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned shift = (threadIdx.x & 3) * 8, old = *(volatile unsigned *)&bytes_word, assumed;
    do {
        assumed = old;
        unsigned byte = ((assumed >> shift) + 1) & 0xff;
        old = atomicCAS(&bytes_word, assumed, (assumed & ~(0xffu << shift)) | byte << shift);
    } while (old != assumed);
    atomicAdd(b, 1);
}

// nothing: short_swap
// Compare and swap of 16 bits by one of 32: goes round only if the other half has changed.
extern "C" __global__ void short_swap(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned shift = (threadIdx.x & 1) * 16, mask = 0xffffu << shift, mine = (threadIdx.x + 1) << shift;
    unsigned old = *(volatile unsigned *)&halves_word;
    while ((old & mask) == 0) {
        unsigned seen = atomicCAS(&halves_word, old, old | mine);
        if (seen == old) {
            atomicAdd(b, 1);
            break;
        }
        old = seen;
    }
}

// nothing: saturating_add
// Adds and stays at a limit.
extern "C" __global__ void saturating_add(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned old;
    do {
        old = *(volatile unsigned *)&saturating;
    } while (atomicCAS(&saturating, old, min(old + 3, 100u)) != old);
    atomicAdd(b, 1);
}

// nothing: take_if_positive
// Takes one if there is one, else gives up.
extern "C" __global__ void take_if_positive(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned left = *(volatile unsigned *)&bounded_word;
    while (left > 0) {
        unsigned seen = atomicCAS(&bounded_word, left, left - 1);
        if (seen == left) {
            atomicAdd(b, 1);
            break;
        }
        left = seen;
    }
}

// nothing: packed_argmin
// Smallest key with its index, in one word of 64 bits.
extern "C" __global__ void packed_argmin(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Word mine = (Word)(c[threadIdx.x] & 0xffff) << 32 | threadIdx.x, old = *(volatile Word *)&best_pair;
    while (mine < old) {
        Word seen = atomicCAS(&best_pair, old, mine);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: complex_product
// Product of complex floats, both parts in one word.
extern "C" __global__ void complex_product(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Word old = *(volatile Word *)&complex_word, assumed;
    do {
        assumed = old;
        float re = __uint_as_float((unsigned)assumed), im = __uint_as_float((unsigned)(assumed >> 32));
        old = atomicCAS(&complex_word, assumed, (Word)__float_as_uint(im + re) << 32 | __float_as_uint(re - im));
    } while (old != assumed);
    atomicAdd(b, 1);
}

// nothing: greatest_divisor
// Greatest common divisor in memory; Euclid's loop inside the loop of the swap.
extern "C" __global__ void greatest_divisor(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned mine = (threadIdx.x + 1) * 12, old = *(volatile unsigned *)&gcd_word, assumed;
    do {
        assumed = old;
        unsigned x = assumed, y = mine;
        while (y != 0) {
            unsigned rest = x % y;
            x = y;
            y = rest;
        }
        old = atomicCAS(&gcd_word, assumed, x);
    } while (old != assumed);
    atomicAdd(b, 1);
}

// nothing: running_mean
// Count and sum in one word, the mean comes from both.
extern "C" __global__ void running_mean(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (;;) {
        Word old = *(volatile Word *)&moments_word;
        unsigned count = old >> 32, sum = (unsigned)old;
        if (atomicCAS(&moments_word, old, (Word)(count + 1) << 32 | (sum + threadIdx.x)) == old) break;
    }
    atomicAdd(b, 1);
}

// nothing: rational_clock
// Time stamps: the next one is larger than the one in memory and than the thread's own.
extern "C" __global__ void rational_clock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Word mine = threadIdx.x * 3, old = *(volatile Word *)&time_stamp, seen, next;
    for (;;) {
        next = (old > mine ? old : mine) + 1;
        seen = atomicCAS(&time_stamp, old, next);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: ptx_product
// Product by compare and swap, the loop in inline PTX.
extern "C" __global__ void ptx_product(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    asm volatile("{\n .reg .b64 old, seen, next;\n .reg .pred again;\n"
                 " ld.relaxed.gpu.global.b64 old, [%0];\n"
                 "AGAIN:\n mul.lo.u64 next, old, 3;\n atom.relaxed.gpu.global.cas.b64 seen, [%0], old, next;\n"
                 " setp.ne.u64 again, seen, old;\n mov.b64 old, seen;\n @again bra AGAIN;\n}"
                 :: "l"(__cvta_generic_to_global(&product64)) : "memory");
    atomicAdd(b, 1);
}
