// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: l01_wait_deleter
extern "C" __global__ void l01_wait_deleter(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c) { n = LOOK(M[c]); if ((int)n < 0) { c = LOOK(M[p]) & 0xff; continue; } p = c; c = n; }
        out[0] = 1;
    } else { atomicCAS(&M[2], 3u, 4u); }
}

// found: l02_unlink_other
extern "C" __global__ void l02_unlink_other(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c) { n = LOOK(M[c]); if ((int)n < 0) { if (LOOK(M[p]) == c) continue; c = LOOK(M[p]); } else { p = c; c = n; } }
        out[0] = 1;
    } else { atomicCAS(&M[2], 3u, 4u); }
}

// found: l03_cas_noop
extern "C" __global__ void l03_cas_noop(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c) { n = LOOK(M[c]); if ((int)n < 0) { c = atomicCAS(&M[p], c, c); } else { p = c; c = n; } }
        out[0] = 1;
    } else { atomicCAS(&M[2], 3u, 4u); }
}

// found: l04_cas_wrongval
extern "C" __global__ void l04_cas_wrongval(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c) { n = LOOK(M[c]); if ((int)n < 0) { u s = atomicCAS(&M[p], n & 0xff, c); c = s; } else { p = c; c = n; } }
        out[0] = 1;
    } else { atomicCAS(&M[2], 3u, 4u); }
}

// found: l06_unlink_prevmarked
extern "C" __global__ void l06_unlink_prevmarked(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c) { n = LOOK(M[c]); if ((int)n < 0) { if (atomicCAS(&M[p], c, n & 0xff) == c) c = n & 0xff; else { c = LOOK(M[p]) & 0xff; } } else { p = c; c = n; } }
        out[0] = 1;
    } else { atomicAnd(&M[1], 0x7fffffffu); }
}

// found: l07_link_zero_pending
extern "C" __global__ void l07_link_zero_pending(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c != 5) { n = LOOK(M[c]); if (n) { p = c; c = n; } }
        out[0] = 1;
    } else { atomicExch(&M[3], 4u); }
}

// found: l08_link_pending_cas
extern "C" __global__ void l08_link_pending_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c != 5) { n = LOOK(M[c]); if (n) { atomicCAS(&M[p], c, n); p = c; c = n; } }
        out[0] = 1;
    } else { atomicExch(&M[3], 4u); }
}

// found: l09_link_pending_cnt
extern "C" __global__ void l09_link_pending_cnt(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u i = 0; while (c != 5 && i < 100000000u) { n = LOOK(M[c]); if (n) { p = c; c = n; ++i; } }
        out[0] = 1;
    } else { atomicExch(&M[3], 4u); }
}

// found: l10_max
extern "C" __global__ void l10_max(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c < 5) { n = LOOK(M[c]); c = max(c, n); }
        out[0] = 1;
    } else { atomicExch(&M[3], 4u); }
}

// found: l11_add_link
extern "C" __global__ void l11_add_link(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c < 5) { n = atomicAdd(&M[c], 0u); c += n; }
        out[0] = 1;
    } else { atomicExch(&M[3], 2u); }
}

// found: l12_add_link_cas
extern "C" __global__ void l12_add_link_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while (c < 5) { n = LOOK(M[c]); atomicCAS(&M[c], n, n); c += n & 3; }
        out[0] = 1;
    } else { atomicExch(&M[3], 2u); }
}

// found: l13_heartbeat
extern "C" __global__ void l13_heartbeat(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u i = 0; while (LOOK(M[3]) == 0) { LOOK(M[9]) = ++i; }
        out[0] = 1;
    } else { atomicExch(&M[3], 2u); }
}

// found: l14_heart_cas
extern "C" __global__ void l14_heart_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u i = LOOK(M[9]); while (LOOK(M[3]) == 0) { u s = atomicCAS(&M[9], i, i + 1); i = s == i ? i + 1 : s; }
        out[0] = 1;
    } else { atomicExch(&M[3], 2u); }
}

// found: l15_pop_all
extern "C" __global__ void l15_pop_all(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u h; while ((h = LOOK(M[9])) != 7) { if (h) atomicCAS(&M[9], h, LOOK(M[h]) & 0xff); }
        out[0] = 1;
    } else { atomicExch(&M[9], 7u); }
}

// found: l16_pop_to_empty
extern "C" __global__ void l16_pop_to_empty(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u h; while ((h = LOOK(M[9])) == 0 || atomicCAS(&M[9], h, LOOK(M[h]) & 0xff) != h);
        out[0] = 1;
    } else { atomicExch(&M[9], 7u); }
}

// found: l17_queue_busy
extern "C" __global__ void l17_queue_busy(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u h; while (true) { h = LOOK(M[9]); u tl = LOOK(M[10]); n = LOOK(M[h]); if (h == tl) { if (n == 0) break; atomicCAS(&M[10], tl, n & 0xff); } else if (n && (int)n > 0 && atomicCAS(&M[9], h, n) == h) break; }
        out[0] = 1;
    } else { atomicAnd(&M[3], 0xffu); }
}

// found: l18_slot_claim_pass
extern "C" __global__ void l18_slot_claim_pass(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u i = 0; while (atomicCAS(&M[16 + (i & 3)], 0u, 1u) != 0u) ++i;
        out[0] = 1;
    } else { atomicExch(&M[18], 0u); }
}

// found: l19_ring_seq_lock
extern "C" __global__ void l19_ring_seq_lock(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u pos = LOOK(M[9]); while (true) { u q = LOOK(M[16 + (pos & 3)]); int d = (int)(q - pos); if (d == 0) { u s = atomicCAS(&M[9], pos, pos + 1); if (s == pos) break; pos = s; } else if (d < 0) { pos = LOOK(M[9]); if (pos > 1000) break; } else pos = LOOK(M[9]); }
        out[0] = 1;
    } else { atomicExch(&M[16], 4u); }
}

// found: l20_ring_seq_ahead
extern "C" __global__ void l20_ring_seq_ahead(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u pos = LOOK(M[9]); while (true) { u q = LOOK(M[16 + (pos & 3)]); if (q == pos) { u s = atomicCAS(&M[9], pos, pos + 1); if (s == pos) break; pos = s; } else if ((int)(q - pos) < 0) break; else pos = LOOK(M[9]); }
        out[0] = 1;
    } else { atomicExch(&M[16], 4u); }
}

// found: l21_help_cas2
extern "C" __global__ void l21_help_cas2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9])) & 3) { if (c & 1) atomicCAS(&M[9], c, c & ~1u); }
        out[0] = 1;
    } else { atomicAnd(&M[9], ~2u); }
}

// found: l22_help_id
extern "C" __global__ void l22_help_id(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9]))) { n = LOOK(M[c & 15]); if (n & 1) atomicCAS(&M[c & 15], n, n ^ 2); else atomicCAS(&M[9], c, 0u); }
        out[0] = 1;
    } else { atomicAnd(&M[3], ~1u); }
}

// found: l23_help_back
extern "C" __global__ void l23_help_back(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9]))) { if (c == 1) atomicCAS(&M[9], 1u, 2u); else atomicCAS(&M[9], 2u, 1u); }
        out[0] = 1;
    } else { atomicExch(&M[9], 0u); }
}

// found: l24_help_xor
extern "C" __global__ void l24_help_xor(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9])) & 1) { atomicCAS(&M[9], c, c ^ 2); }
        out[0] = 1;
    } else { atomicExch(&M[9], 0u); }
}

// found: l25_help_add
extern "C" __global__ void l25_help_add(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9])) & 1) { atomicCAS(&M[9], c, c + 2); }
        out[0] = 1;
    } else { atomicExch(&M[9], 0u); }
}

// found: l26_help_shift
extern "C" __global__ void l26_help_shift(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        while ((c = LOOK(M[9])) & 1) { atomicCAS(&M[9], c, (c >> 1) | 1); }
        out[0] = 1;
    } else { atomicExch(&M[9], 0u); }
}

// found: l27_freelist_bits
extern "C" __global__ void l27_freelist_bits(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u b; while (true) { c = LOOK(M[9]); b = 1u << (31 - __clz(c | 1)); if (atomicCAS(&M[9], c, c & ~b) == c && (c & b)) break; }
        out[0] = 1;
    } else { atomicOr(&M[9], 4u); }
}

// found: l28_drain_until
extern "C" __global__ void l28_drain_until(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u got = 0; do { c = LOOK(M[9]); while (c) { u b = c & -c; u o = atomicAnd(&M[9], ~b); got |= o & b; c &= ~b; } } while (got != 7);
        out[0] = 1;
    } else { atomicOr(&M[9], 4u); }
}

// found: l29_drain_atomic
extern "C" __global__ void l29_drain_atomic(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u got = 0; while (got != 7) { c = ~got & 7; u b = 1u << (31 - __clz(c)); u o = atomicAnd(&M[9], ~b); got |= o & b; }
        out[0] = 1;
    } else { atomicOr(&M[9], 4u); }
}

// found: l30_rot_bits
extern "C" __global__ void l30_rot_bits(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u p = 1, c = LOOK(M[1]) & 0xff, n;
        u b = 1, got = 0; while (__popc(got) < 3) { b = __funnelshift_l(b, b, 1); got |= atomicAnd(&M[9], ~b) & b; }
        out[0] = 1;
    } else { atomicOr(&M[9], 4u); }
}

// found: u01_p_only
extern "C" __global__ void u01_p_only(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p & 63]); if (g != p) atomicCAS(&M[x], p, g); x = g & 63; }
        out[0] = x;
    } else atomicAnd(&M[5], 0x7fffffffu);
}

// found: u02_g_only
extern "C" __global__ void u02_g_only(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u03_no_cas
extern "C" __global__ void u03_no_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u04_store
extern "C" __global__ void u04_store(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) LOOK(M[x]) = g; x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u05_split
extern "C" __global__ void u05_split(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) atomicCAS(&M[x], p, g); x = p; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u06_eq
extern "C" __global__ void u06_eq(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if (p == 0x80000001u) continue; u g = LOOK(M[p]); if (g == 0x80000001u) continue; if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u08_uncond_cas
extern "C" __global__ void u08_uncond_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { u g = LOOK(M[p & 63]); u s = atomicCAS(&M[x], p, (int)g < 0 ? p : g); x = s == p && (int)g >= 0 ? g : x; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u09_or
extern "C" __global__ void u09_or(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) { atomicOr(&M[x], 0u); continue; } x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u10_count
extern "C" __global__ void u10_count(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) atomicCAS(&M[x], p, g); x = g; atomicAdd(&M[30], 1u); }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u11_prev
extern "C" __global__ void u11_prev(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        u pr = x; while ((p = LOOK(M[x])) != x) { if ((int)p < 0) { x = pr; continue; } pr = x; x = p; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u12_back_forth
extern "C" __global__ void u12_back_forth(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        u pr = 5; while ((p = LOOK(M[x])) != x) { u q = (int)p < 0 ? pr : p; pr = x; x = q; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u13_restart
extern "C" __global__ void u13_restart(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { u g = LOOK(M[p & 63]); if ((int)p < 0 || (int)g < 0) { x = 5; continue; } if (g != p) atomicCAS(&M[x], p, p); x = g; }
        out[0] = x;
    } else atomicAnd(&M[3], 0x7fffffffu);
}

// found: u14_restart_halve
extern "C" __global__ void u14_restart_halve(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) { x = 5; continue; } u g = LOOK(M[p]); if ((int)g < 0) { x = 5; continue; } if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u17_hook_mask
extern "C" __global__ void u17_hook_mask(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        u y = 0, r; while (x != y) { if (x < y) { u s = x; x = y; y = s; } r = atomicCAS(&M[x], x, y); if (r == x) break; x = (int)r < 0 ? x : r; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// assumed: u18_hook_and
extern "C" __global__ void u18_hook_and(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        u y = 0, r; while (x != y) { if (x < y) { u s = x; x = y; y = s; } r = atomicCAS(&M[x], x, y); if (r == x) break; x = r & 0x7fffffffu; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u19_do_while
extern "C" __global__ void u19_do_while(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        do { p = LOOK(M[x]); if ((int)p >= 0) { u g = LOOK(M[p]); if ((int)g >= 0) { atomicCAS(&M[x], p, g); x = g; } } } while (p != x);
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u20_exch
extern "C" __global__ void u20_exch(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) atomicExch(&M[x], g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u21_min
extern "C" __global__ void u21_min(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0;
        while ((p = LOOK(M[x])) != x) { if ((int)p < 0) continue; u g = LOOK(M[p]); if ((int)g < 0) continue; if (g != p) atomicMin(&M[x], g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], 0x7fffffffu);
}

// found: u23_bit0
extern "C" __global__ void u23_bit0(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 10, p;
        while ((p = LOOK(M[x >> 1])) != x) { if (p & 1) continue; u g = LOOK(M[p >> 1]); if (g & 1) continue; if (g != p) atomicCAS(&M[x >> 1], p, g); x = g; }
        out[0] = x;
    } else atomicAnd(&M[2], ~1u);
}

// found: u24_ver16
extern "C" __global__ void u24_ver16(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p;
        while (((p = LOOK(M[x])) & 0xffff) != x) { if (p >> 16) continue; u g = LOOK(M[p]); if (g >> 16) continue; if (g != p) atomicCAS(&M[x], p, g); x = g & 0xffff; }
        out[0] = x;
    } else atomicAnd(&M[2], 0xffffu);
}

// found: u26_lock_after
extern "C" __global__ void u26_lock_after(unsigned *out)
{
    const unsigned t = threadIdx.x;
    // the lane that leaves the walk holds the root's lock, and frees it behind the loop
        u x = 8, p;
        while (true) {
            p = LOOK(M[x]);
            if ((int)p < 0) continue;
            if (p == x) { if (atomicCAS(&M[x], x, x | 0x80000000u) == x) break; continue; }
            u g = LOOK(M[p]);
            if ((int)g < 0) { x = p; continue; }
            if (g != p) atomicCAS(&M[x], p, g);
            x = g;
        }
        M[20] += 1; __threadfence();
        atomicAnd(&M[x], 0x7fffffffu);
        out[t] = x;
}

// found: u27_lock_after2
extern "C" __global__ void u27_lock_after2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    // as before, the loop's condition at its end
        u x = 8, p, g;
        do {
            p = LOOK(M[x]) ;
            g = LOOK(M[p & 0x7fffffff]);
            if ((int)p >= 0 && (int)g >= 0) { if (g != p) atomicCAS(&M[x], p, g); x = g; }
        } while (x != 0 || atomicCAS(&M[0], 0u, 0x80000000u) != 0u);
        M[20] += 1; __threadfence();
        atomicAnd(&M[0], 0x7fffffffu);
        out[t] = x;
}
