// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: activemask_loop
extern "C" __global__ void activemask_loop(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) { u n = 0; do { n = __popc(atomicOr(&M[0], 1u)); } while (n < 2); out[0] = n; }
    else { asm volatile("red.global.or.b32 [%0], 6;" :: "l"(&M[0]) : "memory"); }
}

// found: bit_alloc_ffs_retry
extern "C" __global__ void bit_alloc_ffs_retry(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u b, old = LOOK(M[0]);
    for (;;) {
        b = __ffs(~old) - 1;             // 31 at most: bits above 2 are always set
        u nw = old | (1u << (b & 31));
        u s = atomicCAS(&M[0], old, nw);
        if (s == old && nw != old) break;
        old = s;
    }
    atomicAdd(&M[1], 1u);
    atomicXor(&M[0], 1u << b);
    out[t] = 7;
}

// found: bit_alloc_full
extern "C" __global__ void bit_alloc_full(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // 2 slots for 4 lanes
    u bit;
    while (true) {
        u f = ~LOOK(M[0]) & 3u;
        bit = f & -f;
        u old = atomicOr(&M[0], bit);
        if (bit & ~old) break;
    }
    atomicAdd(&M[1], 1u);
    atomicAnd(&M[0], ~bit);
    out[t] = 7;
}

// found: bit_funnel_mask
extern "C" __global__ void bit_funnel_mask(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u m = 0x80000001u, r = 0;
        do {
            m = __funnelshift_r(m, m, 3);
            u b = 1u << (31 - __clz(m));
            r = atomicOr(&M[0], b) & b;
        } while (r);
        out[0] = 1;
    } else atomicAnd(&M[0], 0u);
}

// found: bit_funnel_rot
extern "C" __global__ void bit_funnel_rot(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u b = 1;
        while (!(atomicAnd(&M[0], ~b) & b)) b = __funnelshift_l(b, b, 1);
        out[0] = b;
    } else atomicOr(&M[0], 1u << 9);
}

// found: bit_lock_in_bitmap
extern "C" __global__ void bit_lock_in_bitmap(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // bits 8.. are claimed lock-free by CAS; bit 0 is a lock
    u old = M[0], got;
    while (true) {
        u bit = (t & 1) ? 1u : 1u;
        if (old & bit) { old = LOOK(M[0]); continue; }
        u s = atomicCAS(&M[0], old, old | bit);
        if (s == old) break;
        old = s;
    }
    M[1] += 1; __threadfence();
    atomicAnd(&M[0], ~1u);
    got = atomicOr(&M[0], 256u << t);
    out[t] = 1;
}

// found: bit_mask_reload
extern "C" __global__ void bit_mask_reload(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u mask, n = 0;
        while ((mask = LOOK(M[0]))) {
            u b = __ffs(mask) - 1;
            if (b >= 4) { atomicAnd(&M[0], ~(1u << b)); n++; }
            else n |= 0x100;
        }
        out[0] = n & 0x100;
    } else atomicAnd(&M[0], ~0xfu);
}

// found: bit_own_mask_atomic
extern "C" __global__ void bit_own_mask_atomic(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u mask = 0xff, n = 0;
        while (mask) {
            u b = __ffs(mask) - 1;
            u old = atomicAnd(&M[0], ~(1u << b));
            mask &= ~(old & (1u << b));
            n += 1;
        }
        out[0] = n != 0;
    } else { atomicOr(&M[0], 0xf0u); }
}

// found: bit_refill_mask
extern "C" __global__ void bit_refill_mask(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u mask = 0xff, left = 0, n = 0;
        while (mask) {
            u b = 31 - __clz(mask);
            mask &= ~(1u << b);
            u old = atomicAnd(&M[0], ~(1u << b));
            if (!(old >> b & 1)) left |= 1u << b; else n++;
            if (!mask) { mask = left; left = 0; }
        }
        out[0] = n;
    } else atomicOr(&M[0], 0xf0u);
}

// found: bit_xor_turn
extern "C" __global__ void bit_xor_turn(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u me = t & 1;
    while ((atomicXor(&M[0], 0u) & 1) != me);
    M[1] = M[1] * 3 + t;
    __threadfence();
    atomicXor(&M[0], 1u);
    out[t] = 1;
}

// found: byte_cas_lock
extern "C" __global__ void byte_cas_lock(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u sh = (t & 1) * 8, o = LOOK(M[0]), s, got;
    do {
        s = o & ~(0xffu << sh);
        got = atomicCAS(&M[0], s, __byte_perm(s, 1, sh ? 0x3240 : 0x3214));
        if (got == s) break;
        o = got;
    } while (true);
    atomicAdd(&M[2 + (t & 1)], 1u); __threadfence();
    atomicAnd(&M[0], ~(0xffu << sh)); out[t] = 2;
}

// found: cas128_exch_flag
namespace of_cas128_exch_flag {
struct __align__(16) P { unsigned long long tag, lock; };
__device__ P pair;
extern "C" __global__ void cas128_exch_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        P a;
        do { P z = {0, 0}; a = atomicExch(&pair, z); } while (a.lock + a.tag != 3);
        out[0] = 3;
    } else { P n = {1, 2}; atomicExch(&pair, n); }
}
}

// found: cas128_lock
namespace of_cas128_lock {
struct __align__(16) P { unsigned long long tag, lock; };
__device__ P pair;
extern "C" __global__ void cas128_lock(unsigned *out)
{
    const unsigned t = threadIdx.x;

    P e = {0, 0};
    while (true) {
        P n = {e.tag + 1, t + 1};
        e.lock = 0;
        P s = atomicCAS(&pair, e, n);
        if (s.tag == e.tag && s.lock == 0) break;
        e = s;
    }
    W[1] += 1; __threadfence();
    atomicExch(&pair.lock, 0ull); out[t] = 2;
}
}

// found: cas128_same
namespace of_cas128_same {
struct __align__(16) P { unsigned long long tag, lock; };
__device__ P pair;
extern "C" __global__ void cas128_same(unsigned *out)
{
    const unsigned t = threadIdx.x;

    P o = {0, 0};
    while (true) {
        P n = o.lock ? o : P{o.tag + 1, t + 1};
        P s = atomicCAS(&pair, o, n);
        bool same = s.tag == o.tag && s.lock == o.lock;
        bool free = o.lock == 0;
        o = s;
        if (same && free) break;
    }
    W[1] += 1; __threadfence();
    P z = pair, zz;
    do { zz = z; P n = {zz.tag, 0}; z = atomicCAS(&pair, zz, n); } while (z.tag != zz.tag || z.lock != zz.lock);
    out[t] = 2;
}
}

// found: cas_floor_zero
extern "C" __global__ void cas_floor_zero(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u old = M[0], a;
    do { a = old; old = atomicCAS(&M[0], a, a ? a - 1 : 0); } while (old != a || a == 0);
    atomicAdd(&M[1], 1u);
    atomicAdd(&M[0], 1u); out[t] = 3;
}

// found: cas_or_same
extern "C" __global__ void cas_or_same(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u old;
    do { old = LOOK(M[0]); } while (atomicCAS(&M[0], old, old | 0x80000000u) != old || (int)old < 0);
    M[1] += 2; __threadfence();
    atomicAnd(&M[0], 0x7fffffffu); out[t] = 3;
}

// found: clh_lock
extern "C" __global__ void clh_lock(unsigned *out)
{
    const unsigned t = threadIdx.x;

    M[8 + t] = 1; __threadfence();
    u pred = atomicExch(&M[0], t);
    while (LOOK(M[8 + pred]));
    M[1] += 1; __threadfence();
    atomicExch(&M[8 + t], 0u); out[t] = 1;
}

// found: count_received
extern "C" __global__ void count_received(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u n = 0;
        while (n < 8) n += __popc(atomicExch(&M[0], 0u));
        out[0] = n;
    } else atomicOr(&M[0], 0x0fu << 4);
}

// found: counter_byte_wrap
extern "C" __global__ void counter_byte_wrap(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        unsigned char c = 0;
        while (c != 200 || LOOK(M[0]) == 0) ++c;
        out[0] = c;
    } else atomicExch(&M[0], 1u);
}

// found: counter_reset
extern "C" __global__ void counter_reset(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        int i = 0;
        while (i < 8) { if (LOOK(M[i]) & 1) ++i; else i = 0; }
        out[0] = i;
    } else atomicOr(&M[5], 1u);
}

// found: counter_saturate
extern "C" __global__ void counter_saturate(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        int tries = 0;
        while (LOOK(M[0]) == 0) tries = min(tries + 1, 16);
        out[0] = 1;
    } else atomicExch(&M[0], 1u);
}

// found: dec_semaphore
extern "C" __global__ void dec_semaphore(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // atomicDec wraps from 0 to 5
    u o;
    while ((o = atomicDec(&M[0], 0u)) == 0u);
    atomicAdd(&M[1], 1u); atomicExch(&M[0], 1u); out[t] = 1;
}

// found: deque_last
extern "C" __global__ void deque_last(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // owner pops its last element; a thief has moved top and not yet stored
    if (t == 0) {
        u b = 1, r = 0;
        while (true) {
            u tp = LOOK(M[0]);
            if (tp > b) { r = 1; break; }
            if (tp == b) { u o = atomicCAS(&M[0], tp, tp + 1); r = o; break; }
            b = max(b, tp + 1); b -= (LOOK(M[1]) == 0) ? 0 : 1;
        }
        out[0] = 1;
    } else { atomicExch(&M[1], 1u); }
}

// found: descend_stay
extern "C" __global__ void descend_stay(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u n = 1;
        while (n < 16) { u v = LOOK(M[n]); n <<= v & 1; }
        out[0] = n;
    } else { atomicOr(&M[4], 1u); }
}

// found: fetch_add_dequeue
extern "C" __global__ void fetch_add_dequeue(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // LCRQ without its closing: a dequeuer takes tickets until one has a value
    if (t == 0) {
        u h;
        do { h = atomicAdd(&M[0], 1u); } while (LOOK(M[8 + (h & 7)]) == 0);
        out[0] = 1;
    } else { u h = atomicAdd(&M[1], 1u); atomicExch(&M[8 + (h & 7)], 5u); }
}

// found: find_halving_locked
extern "C" __global__ void find_halving_locked(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // the parent is locked by the high bit
    if (t == 0) {
        u x = 5, p;
        while ((p = LOOK(M[x])) != x) {
            if ((int)p < 0) continue;
            u g = LOOK(M[p]);
            if ((int)g < 0) continue;
            if (g != p) atomicCAS(&M[x], p, g);
            x = g;
        }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: find_halving_mask
extern "C" __global__ void find_halving_mask(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // the walk stays at a locked parent since the mask leads back to it
    if (t == 0) {
        u x = 5, p;
        while ((p = LOOK(M[x])) != x) {
            u g = LOOK(M[p & 63]);
            u to = (p >> 31) ? x : (g & 63);
            atomicCAS(&M[x], p, p);
            x = to;
        }
        out[0] = x;
    } else atomicAnd(&M[3], 0x7fffffffu);
}

// assumed: find_ring
extern "C" __global__ void find_ring(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // ring 3 -> 4 -> 5 -> 3 with halving until a lane makes 4 a root
    if (t == 0) {
        u x = 3, p;
        while ((p = LOOK(M[x])) != x) { u g = LOOK(M[p]); atomicCAS(&M[x], p, p); x = g; }
        out[0] = x;
    } else { atomicExch(&M[4], 4u); }
}

// found: float_cas
extern "C" __global__ void float_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u o = LOOK(M[0]), a;
        do { a = o; o = atomicCAS(&M[0], a, __float_as_uint(fmaxf(__uint_as_float(a), 1.0f))); } while (o != a || __uint_as_float(a) >= 1.0f);
        out[0] = 1;
    } else atomicExch(&M[0], 0x3f000000u);
}

// found: gcd_like
extern "C" __global__ void gcd_like(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // x and y approach each other while both are not equal; the step is what another lane adds
    if (t == 0) {
        u x = 48, y;
        while ((y = LOOK(M[0])) != x) { if (x > y) x -= y; else { u o = atomicCAS(&M[0], y, y); x = o < 100 ? x : x; } }
        out[0] = x;
    } else atomicExch(&M[0], 8u);
}

// found: hand_over_hand
extern "C" __global__ void hand_over_hand(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // locks of the list in bit 31 of the links
    u p = 0, l;
    do { l = LOOK(M[0]); } while ((int)l < 0 || atomicCAS(&M[0], l, l | 0x80000000u) != l);
    while (true) {
        u q = l & 0xffff, n;
        if (q == 0) break;
        n = LOOK(M[q]);
        if ((int)n < 0 || atomicCAS(&M[q], n, n | 0x80000000u) != n) continue;
        atomicAnd(&M[p], 0x7fffffffu);
        p = q; l = n;
    }
    M[20] += 1; __threadfence();
    atomicAnd(&M[p], 0x7fffffffu); out[t] = p;
}

// found: harris_marked
extern "C" __global__ void harris_marked(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // node 2 is marked; its deleter (lane 1) unlinks it; lane 0 starts again until that is done
    if (t == 0) {
        u p, c;
        again:
        p = 1; c = LOOK(M[p]);
        while (c != 0) {
            u n = LOOK(M[c]);
            if (n & 0x80000000u) goto again;
            p = c; c = n;
        }
        out[0] = p;
    } else atomicCAS(&M[1], 2u, 3u);
}

// found: harris_unlink_wrong
extern "C" __global__ void harris_unlink_wrong(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // unlinks with an expected value that never is there while the mark is
    if (t == 0) {
        u p = 1, c = LOOK(M[1]);
        while (c != 0) {
            u n = LOOK(M[c]);
            if (n & 0x80000000u) {
                if (atomicCAS(&M[p], c | 0x40000000u, n & 0xffff) != (c | 0x40000000u)) { p = 1; c = LOOK(M[1]) & 0xffff; continue; }
                c = n & 0xffff;
            } else { p = c; c = n; }
        }
        out[0] = 1;
    } else atomicExch(&M[1], 3u);
}

// found: have_all_cas
extern "C" __global__ void have_all_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // takes what is there, bit by bit; keeps what it took
    if (t == 0) {
        u have = 0;
        while (have != 7u) {
            u want = ~have & 7u, b = want & -want;
            u o = LOOK(M[0]);
            if (atomicCAS(&M[0], o, o & ~b) == o) have |= o & b;
        }
        out[0] = have;
    } else { atomicOr(&M[0], 4u); }
}

// found: help_desc
extern "C" __global__ void help_desc(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // helping writes the state that is there already
    if (t == 0) {
        u d;
        while ((d = LOOK(M[0])) != 0) {
            u st = LOOK(M[d]);
            if (st == 1) atomicCAS(&M[0], d, 0u);
            else atomicCAS(&M[d], 3u, 1u);       // state is 2, not 3
        }
        out[0] = 1;
    } else atomicExch(&M[4], 3u);
}

// found: help_odd
extern "C" __global__ void help_odd(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // lanes help an operation in progress (odd) - but only its owner may finish it
    u v;
    while (true) {
        v = LOOK(M[0]);
        if (v & 1) { atomicCAS(&M[0], v, v | 1); continue; }
        if (atomicCAS(&M[0], v, v + 1) == v) break;
    }
    M[1] += 1; __threadfence();
    atomicCAS(&M[0], v + 1, v + 2); out[t] = 1;
}

// found: high_bit_link
extern "C" __global__ void high_bit_link(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u p = 1;
        while (p) {
            u n = LOOK(M[p]);
            if ((int)n >= 0) p = n;
        }
        out[0] = 2;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: high_bit_select
extern "C" __global__ void high_bit_select(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u p = 1;
        while (p) {
            u n = atomicOr(&M[p], 0u);
            u s = (u)((int)n >> 31);
            p = (p & s) | (n & ~s);
        }
        out[0] = 2;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: max_lock
extern "C" __global__ void max_lock(unsigned *out)
{
    const unsigned t = threadIdx.x;

    while (atomicMax(&M[0], 1u) == 1u);
    M[1] += 1; __threadfence(); atomicExch(&M[0], 0u); out[t] = 1;
}

// found: mbarrier_wait
extern "C" __global__ void mbarrier_wait(unsigned *out)
{
    const unsigned t = threadIdx.x;

    __shared__ ull bar; u a = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 2;" :: "r"(a) : "memory");
    __syncthreads();
    ull st;
    if (t == 0) {
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(st) : "r"(a) : "memory");
        u done;
        do asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(a), "l"(st) : "memory"); while (!done);
    } else asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(st) : "r"(a) : "memory");
    out[t] = 1;
}

// found: measure_two
extern "C" __global__ void measure_two(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // (a, b) seems to go down lexicographically
    if (t == 0) {
        u a = 4, b = 4;
        while (a) {
            if (b) --b;
            else { u o = atomicCAS(&M[0], 1u, 1u); a -= o; b = 4; }
        }
        out[0] = 9;
    } else atomicExch(&M[0], 1u);
}

// found: min_max_bound
extern "C" __global__ void min_max_bound(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u v = 0;
        do { v = max(v, atomicMin(&M[0], 3u)); } while (atomicMax(&M[0], 2u) < 4 && v < 4);
        out[0] = 1;
    } else atomicMax(&M[0], 100u);
}

// found: ms_queue_tail_lag
extern "C" __global__ void ms_queue_tail_lag(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // the tail lags and only its owner moves it on
    u tl, me = 2 + t;
    while (true) {
        tl = LOOK(M[0]);
        if (atomicCAS(&M[8 + tl], 0u, me) == 0u) break;
    }
    atomicCAS(&M[0], tl, me);
    out[t] = 1;
}

// found: nested_tries
extern "C" __global__ void nested_tries(unsigned *out)
{
    const unsigned t = threadIdx.x;

    bool ok = false;
    do {
        for (int i = 0; i < 10; ++i) if (atomicCAS(&M[0], 0u, 1u) == 0u) { ok = true; break; }
    } while (!ok);
    M[1] += 1; __threadfence(); atomicExch(&M[0], 0u); out[t] = 1;
}

// found: packed64_half
extern "C" __global__ void packed64_half(unsigned *out)
{
    const unsigned t = threadIdx.x;

    ull o = LOOK_WIDE(W[0]);
    while (true) {
        ull e = o & 0xffffffff00000000ull;           // low half must be 0
        ull s = atomicCAS(&W[0], e, e + 0x100000000ull + t + 1);
        if (s == e) break;
        o = s;
    }
    W[1] += 1; __threadfence();
    atomicAnd(&W[0], 0xffffffff00000000ull); out[t] = 2;
}

// found: packed64_same
extern "C" __global__ void packed64_same(unsigned *out)
{
    const unsigned t = threadIdx.x;

    ull o = LOOK_WIDE(W[0]), s, n;
    while (true) {
        n = (u)o ? o : (o + 0x100000001ull);
        s = atomicCAS(&W[0], o, n);
        if (s == o && n != o) break;
        o = s;
    }
    W[1] += 1; __threadfence();
    atomicAnd(&W[0], 0xffffffff00000000ull); out[t] = 2;
}

// found: popc_goal
extern "C" __global__ void popc_goal(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u have = 0;
        while (__popc(have) < 3) have |= atomicAnd(&M[0], ~have);
        out[0] = have;
    } else { atomicOr(&M[0], 4u); }
}

// found: probe_full_insert
extern "C" __global__ void probe_full_insert(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u h = t & 3, n = 0;
    while (atomicCAS(&M[h], 0u, t + 1) != 0u) h = (h + 1) & 3;
    atomicAdd(&M[8], 1u);
    atomicExch(&M[h], 0u); out[t] = 1;
}

// found: probe_ring_lookup
extern "C" __global__ void probe_ring_lookup(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u h = 13 & 7;
        while (LOOK(M[h]) != 13u) h = (h + 1) & 7;
        out[0] = h;
    } else { u h = 5; while (atomicCAS(&M[h], 0u, 13u) != 0u) h = (h + 1) & 7; }
}

// found: ring_slot_seq
extern "C" __global__ void ring_slot_seq(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u pos = LOOK(M[0]);
        while (true) {
            u seq = LOOK(M[8 + (pos & 3)]);
            int d = (int)(seq - (pos + 1));
            if (d == 0) { u s = atomicCAS(&M[0], pos, pos + 1); if (s == pos) break; pos = s; }
            else pos = LOOK(M[0]);
        }
        out[0] = pos;
    } else { M[16] = 7; __threadfence(); atomicExch(&M[8], 1u); }
}

// assumed: ring_walk
extern "C" __global__ void ring_walk(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u p = 0, n;
        while ((n = LOOK(M[p])) != 0xffffffffu) p = n;
        out[0] = p;
    } else atomicExch(&M[3], 0xffffffffu);
}

// assumed: self_link
extern "C" __global__ void self_link(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u p = 1, q;
        while ((q = LOOK(M[p])) != 0) p = q;
        out[0] = p;
    } else atomicExch(&M[4], 0u);
}

// found: shrink_range
extern "C" __global__ void shrink_range(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // a binary search, lo < hi, that never shrinks while the pivot is unknown (0)
    if (t == 0) {
        u lo = 0, hi = 32;
        while (lo < hi) {
            u mid = (lo + hi) / 2, v = LOOK(M[mid]);
            if (v == 0) { hi = hi; lo = min(lo, mid); }
            else if (v < 40) lo = mid + 1; else hi = mid;
        }
        out[0] = lo;
    } else { for (int i = 0; i < 32; ++i) atomicExch(&M[i], 30u + i); }
}

// found: step_from_memory
extern "C" __global__ void step_from_memory(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u i = 0;
        while (i < 100) { i += LOOK(M[0]); atomicAdd(&M[1], 1u); }
        out[0] = 1;
    } else { atomicExch(&M[0], 10u); }
}

// found: struct_bytes
namespace of_struct_bytes {
struct S { unsigned ver; unsigned char state, a, b, c; };
__device__ S gs;
__device__ void copy(S *d, const volatile unsigned char *s) { unsigned char *b = (unsigned char *)d; for (unsigned i = 0; i < sizeof(S); ++i) b[i] = s[i]; }
extern "C" __global__ void struct_bytes(unsigned *out)
{
    const unsigned t = threadIdx.x;

    S s;
    if (t == 0) {
        do copy(&s, (const volatile unsigned char *)&gs);
        while (atomicCAS(&gs.ver, s.ver, s.ver + 1) != s.ver || s.state != 1);
        out[0] = s.state;
    } else { S n = {0, 1, 2, 3, 4}; for (int i = 7; i >= 4; --i) ((volatile unsigned char *)&gs)[i] = ((unsigned char *)&n)[i]; }
}
}

// assumed: three_steps
extern "C" __global__ void three_steps(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u p = 1;
        do { p = LOOK(M[p]); p = LOOK(M[p]); p = LOOK(M[p]); } while (p != 0);
        out[0] = p;
    } else atomicExch(&M[4], 0u);
}

// found: ticket_add0
extern "C" __global__ void ticket_add0(unsigned *out)
{
    const unsigned t = threadIdx.x;

    u my = atomicAdd(&M[0], 1u);
    while (atomicAdd(&M[1], 0u) != my);
    M[2] += 3; __threadfence(); atomicAdd(&M[1], 1u); out[t] = 1;
}

// found: treiber_pop_empty
extern "C" __global__ void treiber_pop_empty(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u h = LOOK(M[0]);
        while (true) {
            u n = LOOK(M[8 + h]);
            u s = atomicCAS(&M[0], h, n);
            if (s == h && h) break;
            h = s;
        }
        out[0] = h;
    } else { M[8 + 3] = 0; __threadfence(); u h = LOOK(M[0]), s; while ((s = atomicCAS(&M[0], h, 3u)) != h) h = s; }
}

// found: tries_reset_by_read
extern "C" __global__ void tries_reset_by_read(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        int tries = 0; u ok = 0;
        while (tries < 10) {
            ++tries;
            if (atomicCAS(&M[0], 1u, 2u) == 1u) { ok = 1; break; }
            tries &= (int)LOOK(M[1]);
        }
        out[0] = ok;
    } else atomicExch(&M[0], 1u);
}

// found: vec_store_free
extern "C" __global__ void vec_store_free(unsigned *out)
{
    const unsigned t = threadIdx.x;

    if (t == 0) {
        u o = 0;
        while (!(atomicCAS(&M[2], o, o + 1) == 77u && o == 77u)) o = LOOK(M[2]) == 77u ? 77u : 5u;
        out[0] = 1;
    } else *(uint4 *)&M[0] = make_uint4(1, 2, 77, 4);
}

// found: version_descend
extern "C" __global__ void version_descend(unsigned *out)
{
    const unsigned t = threadIdx.x;

    // a descent that starts again while the node is marked
    if (t == 0) {
        u n = 1;
        while (n < 16) { u v = LOOK(M[n]); n = (v & 0x80000000u) ? 1 : 2 * n + (v & 1); }
        out[0] = n;
    } else atomicAnd(&M[4], 0x7fffffffu);
}
