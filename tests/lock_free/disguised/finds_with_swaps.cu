// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: m01_cas_self
extern "C" __global__ void m01_cas_self(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; atomicCAS(&M[x], p, p); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m02_cas_other
extern "C" __global__ void m02_cas_other(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; atomicCAS(&M[20], 0u, 1u); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m03_cas_to_root
extern "C" __global__ void m03_cas_to_root(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; atomicCAS(&M[x], p, x); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m04_cas_zero
extern "C" __global__ void m04_cas_zero(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; atomicCAS(&M[x], p, 0u); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m05_cas_g_nonnull
extern "C" __global__ void m05_cas_g_nonnull(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m06_cas_g_xp
extern "C" __global__ void m06_cas_g_xp(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); atomicCAS(&M[x], p, g); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m07_cas_noadv
extern "C" __global__ void m07_cas_noadv(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); if (g == p) { x = p; break; } atomicCAS(&M[x], p, g); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m08_and_flag
extern "C" __global__ void m08_and_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p]); if (atomicAdd(&M[9], 0u)) { atomicCAS(&M[x], p, g); x = g; } }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m09_lockinside
extern "C" __global__ void m09_lockinside(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (atomicCAS(&M[9], 1u, 2u) == 0) continue; g = LOOK(M[p]); atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m10_flag_after
extern "C" __global__ void m10_flag_after(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p]); s = atomicCAS(&M[x], p, g); if (LOOK(M[9])) x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m11_flag_sel
extern "C" __global__ void m11_flag_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p]); s = atomicCAS(&M[x], p, g); x = LOOK(M[9]) ? g : x; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m12_loop_in_loop
extern "C" __global__ void m12_loop_in_loop(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { while (LOOK(M[9]) == 0); g = LOOK(M[p]); atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m13_two_flags
extern "C" __global__ void m13_two_flags(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0 || LOOK(M[10]) == 0) continue; g = LOOK(M[p]); if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); atomicExch(&M[10], 1u); }
}

// found: m14_exit_const
extern "C" __global__ void m14_exit_const(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != 0) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m15_exit_x
extern "C" __global__ void m15_exit_x(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x) { p = LOOK(M[x]); if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m16_exit_ge
extern "C" __global__ void m16_exit_ge(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) < x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m17_min
extern "C" __global__ void m17_min(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p]); if (g != p) atomicMin(&M[x], g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m18_hook_flag
extern "C" __global__ void m18_hook_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r, y = 2; while (x != y) { if (x < y) { s = x; x = y; y = s; } if (LOOK(M[9]) == 0) continue; r = atomicCAS(&M[x], x, y); if (r == x) break; x = r; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m19_hook_flag_do
extern "C" __global__ void m19_hook_flag_do(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r, y = 2; do { if (x < y) { s = x; x = y; y = s; } r = x + 1; if (LOOK(M[9])) { r = atomicCAS(&M[x], x, y); if (r == x) break; x = r; } } while (x != y);
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m21_list_reread
extern "C" __global__ void m21_list_reread(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); p = 1; while (c) { n = LOOK(M[c]); if (LOOK(M[9]) == 0) c = LOOK(M[p]); else { p = c; c = n; } }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m22_list_reread_head
extern "C" __global__ void m22_list_reread_head(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); while (c) { n = LOOK(M[c]); c = LOOK(M[9]) ? n : LOOK(M[1]); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m23_reread_same
extern "C" __global__ void m23_reread_same(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); while (c) { if (LOOK(M[9]) == 0) c = LOOK(M[1]); else c = LOOK(M[c]); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m24_reread_prev2
extern "C" __global__ void m24_reread_prev2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]), q = 1; p = 1; while (c) { n = LOOK(M[c]); if (LOOK(M[9]) == 0) { c = LOOK(M[q]); } else { q = p; p = c; c = n; } }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m25_spin_reg_pair
extern "C" __global__ void m25_spin_reg_pair(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u a = 5; while (LOOK(M[9]) == 0) { s = x; x = LOOK(M[a]); a = s; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m26_follow_const
extern "C" __global__ void m26_follow_const(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 1; while (LOOK(M[9]) == 0) { c = LOOK(M[c]); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// assumed: m27_follow_or_flag
extern "C" __global__ void m27_follow_or_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 1; while (c != 0 && LOOK(M[9]) == 0) { c = LOOK(M[c]); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m29_swap_sel
extern "C" __global__ void m29_swap_sel(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 5; while (x) { p = LOOK(M[x]); s = LOOK(M[9]) ? p : c; c = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m30_swap_sel2
extern "C" __global__ void m30_swap_sel2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 5; while (x) { p = LOOK(M[x]); s = LOOK(M[9]) ? x - 1 : c; c = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m31_swap_root
extern "C" __global__ void m31_swap_root(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 5; while ((p = LOOK(M[x])) != x) { s = LOOK(M[9]) ? p : c; c = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m32_swap_root_const
extern "C" __global__ void m32_swap_root_const(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { x = LOOK(M[9]) ? p : 5; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m33_swap_root_same
extern "C" __global__ void m33_swap_root_same(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { x = LOOK(M[9]) ? p : x; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m34_back_ctr
extern "C" __global__ void m34_back_ctr(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9])) x = p; else if (n) { x = n; } n = x; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: m35_spinlock_in_find
extern "C" __global__ void m35_spinlock_in_find(unsigned *out)
{
    const unsigned t = threadIdx.x;
    // the find's links are changed under a lock that is taken in the loop and freed behind it
        u x = 8, p, g, have = 0;
        while ((p = LOOK(M[x])) != x) {
            if (!have) { if (atomicExch(&M[30], 1u)) continue; have = 1; }
            g = LOOK(M[p]); if (g != p) atomicCAS(&M[x], p, g); x = g;
        }
        M[20] += 1; __threadfence();
        if (have) atomicExch(&M[30], 0u);
        out[t] = x;
}

// found: m36_ownerlock_ptr
extern "C" __global__ void m36_ownerlock_ptr(unsigned *out)
{
    const unsigned t = threadIdx.x;
    // a list's node is locked by its low bit; deleter frees it behind the walk
        u p = 1, c = LOOK(M[1]), n;
        while (c) {
            n = LOOK(M[c]);
            if ((int)n < 0) { c = LOOK(M[p]) & 0x7fffffff; continue; }
            if (c == 4) { if (atomicCAS(&M[c], n, n | 0x80000000u) == n) break; c = LOOK(M[p]) & 0x7fffffff; continue; }
            p = c; c = n;
        }
        M[20] += 1; __threadfence();
        atomicAnd(&M[4], 0x7fffffffu);
        out[t] = c;
}
