// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: p01_stable_read
extern "C" __global__ void p01_stable_read(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[0])) != x) x = LOOK(M[9]) ? p : x;
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p02_stable_atomic
extern "C" __global__ void p02_stable_atomic(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicAdd(&M[0], 0u)) != x) x = LOOK(M[9]) ? p : x;
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p03_cas_expect
extern "C" __global__ void p03_cas_expect(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicCAS(&M[0], x, x + 1)) != x) x = LOOK(M[9]) ? p : x;
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p04_cas_expect_if
extern "C" __global__ void p04_cas_expect_if(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicCAS(&M[0], x, x + 1)) != x) if (LOOK(M[9])) x = p;
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p05_cas_expect_sel
extern "C" __global__ void p05_cas_expect_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicCAS(&M[0], x, x | 1)) != x) x = (int)p < 0 ? x : p;
        out[0] = x;
    } else { atomicExch(&M[0], 4u); }
}

// found: p06_cas_expect_max
extern "C" __global__ void p06_cas_expect_max(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicCAS(&M[0], x, x + 1)) != x) x = max(x, p);
        out[0] = x;
    } else { atomicExch(&M[0], 7u); }
}

// found: p07_cas_expect_low
extern "C" __global__ void p07_cas_expect_low(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicCAS(&M[0], x, x + 1)) != x) x = p & ~1u;
        out[0] = x;
    } else { atomicExch(&M[0], 6u); }
}

// found: p08_cas64
extern "C" __global__ void p08_cas64(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) { ull e = 0, q; while ((q = atomicCAS(&W[0], e, e + 1)) != e) e = q < 10 ? q : e; out[0] = 1; } else atomicExch(&W[0], 3ull);
}

// found: p09_cas64_mask
extern "C" __global__ void p09_cas64_mask(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) { ull e = 0, q; while ((q = atomicCAS(&W[0], e, e + 1)) != e) e = q & 0xffffffffull; out[0] = 1; } else atomicAnd(&W[0], 0xffffffffull);
}

// found: p10_cas128
namespace of_p10_cas128 {
struct __align__(16) P { unsigned long long tag, lock; };
__device__ P pair = {4, 1};
extern "C" __global__ void p10_cas128(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) { P e = {0, 0}, q; while (true) { P n = {e.tag + 1, 1}; q = atomicCAS(&pair, e, n); if (q.tag == e.tag && q.lock == e.lock) break; e.tag = q.tag; e.lock = 0; } out[0] = 1; } else atomicExch(&pair.lock, 0ull);
}
}

// found: p11_cas128_sel
namespace of_p11_cas128_sel {
struct __align__(16) P { unsigned long long tag, lock; };
__device__ P pair = {4, 1};
extern "C" __global__ void p11_cas128_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) { P e = {0, 0}, q; while (true) { P n = {e.tag + 1, 1}; q = atomicCAS(&pair, e, n); if (q.tag == e.tag && q.lock == e.lock) break; if (q.lock == 0) e = q; } out[0] = 1; } else atomicExch(&pair.lock, 0ull);
}
}

// found: p12_root_shared_bit
extern "C" __global__ void p12_root_shared_bit(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) x = (p >> 31) ? x : p;
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: p13_root_atomic
extern "C" __global__ void p13_root_atomic(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicAdd(&M[x], 0u)) != x) x = (p >> 31) ? x : p;
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: p14_root_min
extern "C" __global__ void p14_root_min(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) x = min(x, p);
        out[0] = x;
    } else { atomicExch(&M[2], 1u); }
}

// found: p16_sum_seq
extern "C" __global__ void p16_sum_seq(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[0])) != x) { if (p & 1) continue; x = p; }
        out[0] = x;
    } else { atomicAdd(&M[0], 1u); }
}

// found: p17_seq_sel
extern "C" __global__ void p17_seq_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[0])) != x) x = (p & 1) ? x : p;
        out[0] = x;
    } else { atomicAdd(&M[0], 1u); }
}

// found: p18_seq_rot
extern "C" __global__ void p18_seq_rot(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[0])) != x) x = __funnelshift_l(p, p, LOOK(M[9]) ? 0 : 1);
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p19_mask_take
extern "C" __global__ void p19_mask_take(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = atomicAnd(&M[0], ~x)) != x) x = LOOK(M[9]) ? p : x;
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: p20_bits
extern "C" __global__ void p20_bits(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[0])) != x) { g = 31 - __clz(p); x = g > 3 ? x : p; }
        out[0] = x;
    } else { atomicExch(&M[0], 3u); }
}

// found: p22_lock_behind
extern "C" __global__ void p22_lock_behind(unsigned *out)
{
    const unsigned t = threadIdx.x;
    u x = 8, p;
    while ((p = LOOK(M[x])) != x) x = (x == 1 && atomicExch(&M[30], 1u)) ? x : p;
    M[20] += 1; __threadfence(); atomicExch(&M[30], 0u);
    out[t] = x;
}

// found: p23_lock_behind_cas
extern "C" __global__ void p23_lock_behind_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    u x = 8, p;
    while ((p = LOOK(M[x])) != x) {
        if (x == 1 && atomicExch(&M[30], 1u)) continue;
        atomicCAS(&M[x], p, p); x = p;
    }
    M[20] += 1; __threadfence(); atomicExch(&M[30], 0u);
    out[t] = x;
}

// found: p24_ticket_sel
extern "C" __global__ void p24_ticket_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    u my = atomicAdd(&M[0], 1u) + 100, p;
    while ((p = LOOK(M[1])) != my) my = p == my - 100 ? p : my;
    M[20] += 1; __threadfence(); atomicAdd(&M[1], 1u);
    out[t] = 1;
}

// found: p25_params_min
extern "C" __global__ void p25_params_min(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p;
        while ((p = LOOK(M[x])) != x) x = LOOK(M[9]) ? p : x;
        out[0] = x;
    } else { M[9] = 1; __threadfence(); }
}
