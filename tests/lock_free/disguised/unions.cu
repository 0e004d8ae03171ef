// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: v01
extern "C" __global__ void v01(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p & 63]); if ((int)g < 0) continue; atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v02
extern "C" __global__ void v02(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p & 63]); if ((int)g < 0) continue; if (g != p) { if (atomicCAS(&M[x], p, g) == p) x = g; } else x = g; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// assumed: v03
extern "C" __global__ void v03(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p & 63]); if (g != 0x80000001u) { s = atomicCAS(&M[x], p, g); x = s; } }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v04
extern "C" __global__ void v04(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p & 63]); if (LOOK(M[9]) == 0) continue; if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v05
extern "C" __global__ void v05(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { if (LOOK(M[9]) == 0) continue; g = LOOK(M[p & 63]); if (g != p) atomicCAS(&M[x], p, g); x = g; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v06
extern "C" __global__ void v06(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while ((p = LOOK(M[x])) != x) { g = LOOK(M[p & 63]); if (LOOK(M[9]) == 0) continue; if (g != p) atomicCAS(&M[x], p, g); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v07
extern "C" __global__ void v07(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x > 0) { p = LOOK(M[x]); if (LOOK(M[9]) == 0) continue; atomicCAS(&M[x], p, p); x = p; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v08
extern "C" __global__ void v08(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x > 0) { p = LOOK(M[x]); if (p == 9) continue; if (p != n) atomicCAS(&M[x], p, n); x = p; }
        out[0] = x;
    } else { atomicExch(&M[3], 2u); }
}

// found: v09
extern "C" __global__ void v09(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        do { p = LOOK(M[x]); if (LOOK(M[9])) { g = LOOK(M[p]); atomicCAS(&M[x], p, g); x = g; } } while (p != x);
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v10
extern "C" __global__ void v10(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        do { p = LOOK(M[x]); if (LOOK(M[9])) { atomicCAS(&M[x], p, p); x = p; } } while (x != 0);
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v11
extern "C" __global__ void v11(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = x; while ((p = LOOK(M[x])) != x) { u q = LOOK(M[9]) ? p : pr; pr = x; x = q; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v12
extern "C" __global__ void v12(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = x; while (x) { u q = LOOK(M[9]) ? x - 1 : pr; pr = x; x = q; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v13
extern "C" __global__ void v13(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = 1; while (LOOK(M[9]) == 0) { s = pr; pr = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v14
extern "C" __global__ void v14(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = 1; while (LOOK(M[x]) != 7) { s = pr; pr = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[5], 7u); }
}

// found: v15
extern "C" __global__ void v15(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u a = 1, b = 2; while (LOOK(M[x]) != 7) { s = a; a = b; b = x; x = s; }
        out[0] = x;
    } else { atomicExch(&M[5], 7u); }
}

// found: v16
extern "C" __global__ void v16(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = 5; while (x) { p = LOOK(M[x]); if ((int)p < 0) p = pr; pr = x; x = p; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v17
extern "C" __global__ void v17(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u pr = 5; while (x) { p = LOOK(M[x]); if ((int)p < 0) { p = pr; } else pr = x; x = p; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v18
extern "C" __global__ void v18(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u p2 = 5, p1 = 5; while (x) { p = LOOK(M[x]); if ((int)p < 0) { x = p2; continue; } p2 = p1; p1 = x; x = p; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v19
extern "C" __global__ void v19(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u y = 3, r; while (x != y) { r = atomicCAS(&M[x], x, y); if (r == x) break; x = (int)r < 0 ? x : r; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v20
extern "C" __global__ void v20(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u y = 0, r; while (x != y) { r = atomicCAS(&M[x], x, y); if ((int)r >= 0) { if (r == x) break; x = r; } }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v21
extern "C" __global__ void v21(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r; while (x) { r = atomicCAS(&M[x], x, 0u); if ((int)r >= 0) x = r; }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v22
extern "C" __global__ void v22(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r; do { r = atomicCAS(&M[2], 2u, n); ++n; } while (r != 2);
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v23
extern "C" __global__ void v23(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r, y = 1; do { r = atomicCAS(&M[2], 2u, y); if (r == 2) break; s = x; x = y; y = s; } while (r != 2);
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v25
extern "C" __global__ void v25(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u r, y = 1; while (true) { if (x < y) { s = x; x = y; y = s; } r = atomicCAS(&M[x], x, y); if (r == x) break; if (r < x) x = r; }
        out[0] = x;
    } else { atomicExch(&M[5], 5u); }
}

// assumed: v27_ecl
extern "C" __global__ void v27_ecl(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u y = 0, r; bool rep; do { rep = false; if (x != y) { if (x < y) { if ((r = atomicCAS(&M[y], y, x)) != y) { y = r & 63; rep = true; } } else { if ((r = atomicCAS(&M[x], x, y)) != x) { x = r & 63; rep = true; } } } } while (rep);
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v28_eclfind
extern "C" __global__ void v28_eclfind(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u y = 0, r; bool rep; do { rep = false; if (x != y) { if (x < y) { if ((r = atomicCAS(&M[y], y, x)) != y) { if (r < 64) y = r; rep = true; } } else { if ((r = atomicCAS(&M[x], x, y)) != x) { if (r < 64) x = r; rep = true; } } } } while (rep);
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v29_eclrep
extern "C" __global__ void v29_eclrep(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u cur = LOOK(M[x]), nx; p = x; while (cur > (nx = LOOK(M[cur]))) { M[p] = nx; p = cur; cur = nx; } while ((nx = LOOK(M[cur & 63])) != cur) { if (nx < 64) { atomicCAS(&M[p], cur, nx); p = cur; cur = nx; } } x = cur;
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v30_jump
extern "C" __global__ void v30_jump(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (x != (p = LOOK(M[x])) ) { g = LOOK(M[p]); if (g == p) { x = p; } else if (g < 64) { atomicCAS(&M[x], p, g); } }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v32_jump3
extern "C" __global__ void v32_jump3(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (true) { p = LOOK(M[x]); g = LOOK(M[p & 63]); if (g == p) break; atomicCAS(&M[x], p, g < 64 ? g : p); }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v33_jump4
extern "C" __global__ void v33_jump4(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        while (true) { p = LOOK(M[x]); g = LOOK(M[p & 63]); if (g == p) break; if (g < 64) atomicCAS(&M[x], p, g); }
        out[0] = x;
    } else { atomicAnd(&M[2], 0x7fffffffu); }
}

// found: v34_list2
extern "C" __global__ void v34_list2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); p = 1; while (c) { n = LOOK(M[c]); if ((int)n < 0) { c = LOOK(M[p]); } else { p = c; c = n; } }
        out[0] = x;
    } else { atomicCAS(&M[2], 3u, 4u); }
}

// found: v35_list3
extern "C" __global__ void v35_list3(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); p = 1; while (c) { n = LOOK(M[c]); if (LOOK(M[9]) == 0) { c = LOOK(M[p]); } else { p = c; c = n; } }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v36_list4
extern "C" __global__ void v36_list4(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c; p = 1; while ((c = LOOK(M[p]))) { if (LOOK(M[9])) p = c; }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// assumed: v37_list5
extern "C" __global__ void v37_list5(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 1; while (c) { if (LOOK(M[9])) c = LOOK(M[c]); else c = LOOK(M[c + 16]); }
        out[0] = x;
    } else { atomicExch(&M[9], 1u); }
}

// found: v38_list6
extern "C" __global__ void v38_list6(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = LOOK(M[1]); while (c) { n = LOOK(M[c]); if (n < 64) c = n; else c = LOOK(M[20]); }
        out[0] = x;
    } else { atomicExch(&M[3], 4u); }
}

// found: v39_lockmove
extern "C" __global__ void v39_lockmove(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 1; while (c) { n = atomicCAS(&M[c], 0x80000000u, 0x80000000u); if ((int)n < 0) { atomicCAS(&M[c + 16], n, n + 1); continue; } c = n; }
        out[0] = x;
    } else { atomicExch(&M[3], 4u); }
}

// found: v40_claimwalk
extern "C" __global__ void v40_claimwalk(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u x = 5, p, n = 0, g, s;
        u c = 1; while (c) { n = LOOK(M[c]); if (n > 63) { n = LOOK(M[c + 16]); if (atomicCAS(&M[c + 16], n, n | 1) == n) continue; } else c = n; }
        out[0] = x;
    } else { atomicExch(&M[3], 4u); }
}

// found: v41_ptr
extern "C" __global__ void v41_ptr(unsigned *out)
{
    const unsigned t = threadIdx.x;

    __shared__ struct N { N *next; u v; } nd[8];
    nd[t].next = &nd[t + 1]; nd[t + 2].next = &nd[t + 3]; if (t == 0) { nd[4].next = nullptr; nd[2].next = (N *)((ull)&nd[3] | 1); }
    __syncthreads();
    if (t == 0) {
        N *p = &nd[0], *c = *(N *volatile *)&p->next;
        while (c) { N *n = *(N *volatile *)&c->next; if ((ull)n & 1) { c = *(N *volatile *)&p->next; } else { p = c; c = n; } }
        out[0] = 1;
    } else atomicExch((ull *)&nd[2].next, (ull)&nd[3]);
}

// found: v42_ptr_halve
extern "C" __global__ void v42_ptr_halve(unsigned *out)
{
    const unsigned t = threadIdx.x;

    __shared__ struct N { N *par; u v; } nd[8];
    nd[t].par = &nd[0]; nd[t + 2].par = &nd[t + 1]; nd[t + 4].par = &nd[t + 3]; __syncthreads(); if (t == 0) nd[2].par = (N *)((ull)&nd[1] | 1);
    __syncthreads();
    if (t == 0) {
        N *x = &nd[5], *p;
        while ((p = *(N *volatile *)&x->par) != x) { if ((ull)p & 1) continue; N *g = *(N *volatile *)&p->par; if ((ull)g & 1) continue; if (g != p) atomicCAS((ull *)&x->par, (ull)p, (ull)g); x = g; }
        out[0] = 1;
    } else atomicExch((ull *)&nd[2].par, (ull)&nd[1]);
}

// found: v43_lock_halve
extern "C" __global__ void v43_lock_halve(unsigned *out)
{
    const unsigned t = threadIdx.x;
    // root lock: a lane that links takes the root's lock and frees it behind its loop
        u x = 8 - t, p, g;
        for (;;) {
            while ((p = LOOK(M[x])) != x) { if (p > 63) continue; g = LOOK(M[p]); if (g > 63) continue; if (g != p) atomicCAS(&M[x], p, g); x = g; }
            if (atomicCAS(&M[x], x, x | 0x80000000u) == x) break;
        }
        M[20] += 1; __threadfence();
        atomicExch(&M[x], x);
        out[t] = x;
}
