// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: q01_cas_sel_g
extern "C" __global__ void q01_cas_sel_g(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (true) { p = LOOK(M[x]); g = LOOK(M[p]); if (g == p) break; atomicCAS(&M[x], p, LOOK(M[9]) ? g : p); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: q02_cas_sel_0
extern "C" __global__ void q02_cas_sel_0(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { atomicCAS(&M[x], p, LOOK(M[9]) ? 0 : p); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: q03_cas_sel_dec
extern "C" __global__ void q03_cas_sel_dec(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { atomicCAS(&M[x], p, LOOK(M[9]) ? p - 1 : p); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: q04_cas_min
extern "C" __global__ void q04_cas_min(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { atomicCAS(&M[x], p, min(p, LOOK(M[9]))); }
        out[0] = 1;
    } else { atomicExch(&M[9], 0u); }
}

// found: q05_cas_link
extern "C" __global__ void q05_cas_link(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { atomicCAS(&M[x], p, LOOK(M[p])); }
        out[0] = 1;
    } else { atomicExch(&M[4], 0u); }
}

// found: q06_cas_link_and
extern "C" __global__ void q06_cas_link_and(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { atomicCAS(&M[x], p, LOOK(M[p]) & 63); }
        out[0] = 1;
    } else { atomicExch(&M[4], 0x40u); }
}

// found: q07_cas_link_if
extern "C" __global__ void q07_cas_link_if(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x]))) { g = LOOK(M[p]); if (g < 64) atomicCAS(&M[x], p, g); }
        out[0] = 1;
    } else { atomicExch(&M[4], 0u); }
}

// found: q08_walk_cas_link
extern "C" __global__ void q08_walk_cas_link(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x) { p = LOOK(M[x]); g = LOOK(M[p]); s = atomicCAS(&M[x], p, g < 64 ? g : p); x = s == p ? (g < 64 ? g : x) : s; }
        out[0] = 1;
    } else { atomicExch(&M[2], 1u); }
}

// found: r01_two_cell
extern "C" __global__ void r01_two_cell(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); while (c) { n = LOOK(M[9]); c = n ? LOOK(M[c]) : LOOK(M[1]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: r02_two_cell_br
extern "C" __global__ void r02_two_cell_br(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[x]); while (c) { if (LOOK(M[9])) { x = c; c = LOOK(M[c]); } else c = LOOK(M[x]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: r03_reread_cas
extern "C" __global__ void r03_reread_cas(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[x]); while (c) { if (LOOK(M[9])) { x = c; c = LOOK(M[c]); } else c = atomicCAS(&M[x], 0u, 0u); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: r04_reread_exch
extern "C" __global__ void r04_reread_exch(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[x]); while (c) { if (LOOK(M[9])) { x = c; c = LOOK(M[c]); } else c = atomicOr(&M[x], 0u); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: r05_reread_always
extern "C" __global__ void r05_reread_always(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[x]); while (c) { n = LOOK(M[c]); if (n < 64) { x = c; } c = LOOK(M[x]); }
        out[0] = 1;
    } else { atomicExch(&M[3], 4u); }
}

// found: r06_walkback
extern "C" __global__ void r06_walkback(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = 5; while (x) { p = LOOK(M[x]); if (p > 63) { s = x; x = pr; pr = s; } else { pr = x; x = p; } }
        out[0] = 1;
    } else { atomicExch(&M[2], 1u); }
}

// assumed: r07_parent_child
extern "C" __global__ void r07_parent_child(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x) { p = LOOK(M[x]); x = LOOK(M[9]) ? p : LOOK(M[p + 16]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
