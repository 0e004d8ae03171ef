// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: w01_cpasync
extern "C" __global__ void w01_cpasync(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (*(volatile u *)&S[0] == 0);
        out[0] = 1;
    } else { asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" :: "r"(sa), "l"(M) : "memory"); }
}

// found: w02_cpasync16
extern "C" __global__ void w02_cpasync16(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (*(volatile u *)&S[0] == 0);
        out[0] = 1;
    } else { asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;" :: "r"(sa), "l"(M) : "memory"); }
}

// found: w03_bulk_s2g
extern "C" __global__ void w03_bulk_s2g(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[9]) == 0);
        out[0] = 1;
    } else { D[0]=7; D[1]=7; D[2]=7; D[3]=7; asm volatile("fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" :: "l"(M + 8), "r"(da) : "memory"); }
}

// found: w05_redv
extern "C" __global__ void w05_redv(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[8]) == 0);
        out[0] = 1;
    } else { asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(M + 8), "f"(1.0f), "f"(1.0f) : "memory"); }
}

// found: w06_dsmem
extern "C" __global__ void w06_dsmem(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (*(volatile u *)&S[0] == 0);
        out[0] = 1;
    } else { u r; asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(r) : "r"(sa)); asm volatile("st.shared::cluster.u32 [%0], 1;" :: "r"(r) : "memory"); }
}

// found: w07_dsmem_atom
extern "C" __global__ void w07_dsmem_atom(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (*(volatile u *)&S[0] == 0);
        out[0] = 1;
    } else { u r; asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(r) : "r"(sa)); asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(r) : "memory"); }
}

// found: w08_generic_shared
extern "C" __global__ void w08_generic_shared(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    u *q = out[3] ? M : S;
    if (t == 0) { while (*(volatile u *)&S[0] == 0); out[0] = 1; } else { atomicExch(q, 1u); }
}

// found: w09_st_v4_b64
extern "C" __global__ void w09_st_v4_b64(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[9]) == 0);
        out[0] = 1;
    } else { asm volatile("st.global.v2.b64 [%0], {%1, %1};" :: "l"(M + 8), "l"(0x100000001ull) : "memory"); }
}

// found: w10_st_bytes
extern "C" __global__ void w10_st_bytes(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[9]) == 0);
        out[0] = 1;
    } else { ((volatile unsigned char *)M)[38] = 1; }
}

// found: w11_readcpasync
extern "C" __global__ void w11_readcpasync(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        do { asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" :: "r"(da), "l"(M + 9) : "memory"); } while (*(volatile u *)D == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w12_read_v4
extern "C" __global__ void w12_read_v4(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        u a,b,c,d; do asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a),"=r"(b),"=r"(c),"=r"(d) : "l"(M + 8) : "memory"); while (c == 0);
        out[0] = 1;
    } else { atomicExch(&M[10], 1u); }
}

// found: w13_read_atomv2
extern "C" __global__ void w13_read_atomv2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        float a, b; do asm volatile("atom.global.add.v2.f32 {%0,%1}, [%2], {%3,%3};" : "=f"(a),"=f"(b) : "l"(M + 8), "f"(0.0f) : "memory"); while (b == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 0x3f800000u); }
}

// found: w14_local_copy
extern "C" __global__ void w14_local_copy(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[4]; do { for (int i = 0; i < 4; ++i) loc[(i + s) & 3] = LOOK(M[8 + i]); n = loc[(1 + s) & 3]; s++; } while (n == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w15_own_mem
extern "C" __global__ void w15_own_mem(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        do { LOOK(M[20]) = LOOK(M[9]); s = LOOK(M[20]); } while (s == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w16_f16x2
extern "C" __global__ void w16_f16x2(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[9]) == 0);
        out[0] = 1;
    } else { asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(M + 9), "r"(0x3c003c00) : "memory"); }
}

// found: w17_malloc_flag
extern "C" __global__ void w17_malloc_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        u *q; do q = (u *)*(volatile ull *)&W[0]; while (q == 0);
        out[0] = 1;
    } else { atomicExch(&W[0], (ull)malloc(8)); }
}

// found: w18_mbar_tx
extern "C" __global__ void w18_mbar_tx(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(ba) : "memory"); S[9] = 1; u d; do asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(d) : "r"(ba) : "memory"); while (!d);
        out[0] = 1;
    } else { while (*(volatile u *)&S[9] == 0); asm volatile("{.reg .b64 x; mbarrier.arrive.shared.b64 x, [%0];}" :: "r"(ba) : "memory"); }
}

// found: w21_atom_shared_cta
extern "C" __global__ void w21_atom_shared_cta(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (atomicCAS(&S[0], 1u, 2u) != 1u);
        out[0] = 1;
    } else { asm volatile("st.shared::cta.u32 [%0], 1;" :: "r"(sa) : "memory"); }
}

// found: w22_release_mmio
extern "C" __global__ void w22_release_mmio(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (LOOK(M[9]) == 0);
        out[0] = 1;
    } else { asm volatile("st.release.sys.global.u32 [%0], 1;" :: "l"(M + 9) : "memory"); }
}

// found: w23_float_flag
extern "C" __global__ void w23_float_flag(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        volatile float *f = (volatile float *)M; float a = 0; while (!((a = f[9]) > 0.5f)) a = fmaf(a, 0.5f, 1.0f);
        out[0] = 1;
    } else { atomicExch(&M[9], 0x3f800000u); }
}

// found: w24_predicated
extern "C" __global__ void w24_predicated(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        u d = 0; asm volatile("{.reg .pred p, q; .reg .u32 v; L1_%=: ld.volatile.global.u32 v, [%1]; setp.eq.u32 p, v, 0; setp.ne.or.u32 q, v, v, p; @q bra L1_%=; mov.u32 %0, v;}" : "=r"(d) : "l"(M + 9) : "memory");
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w25_brx
extern "C" __global__ void w25_brx(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        u st = 0; while (st != 4) { switch (st) { case 0: st = LOOK(M[9]) ? 1 : 2; break; case 1: st = 4; n += 3; break; case 2: st = 3; n ^= 5; break; case 3: st = 0; n *= 7; break; default: st = 0; } } out[4] = n & 0;
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w26_match
extern "C" __global__ void w26_match(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (__popc(__match_any_sync(1u, LOOK(M[9]))) + LOOK(M[9]) < 2);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w27_clock
extern "C" __global__ void w27_clock(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        ull c0 = clock64(); while (LOOK(M[9]) == 0 && clock64() >= c0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w28_nanosleep
extern "C" __global__ void w28_nanosleep(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        u ns = 8; while (atomicCAS(&M[9], 1u, 0u) == 0u) { __nanosleep(ns); if (ns < 256) ns *= 2; }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: w29_dp4a
extern "C" __global__ void w29_dp4a(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (__dp4a(LOOK(M[9]), 0x01010101u, s) == 0u);
        out[0] = 1;
    } else { ((volatile unsigned char *)M)[37] = 9; }
}

// found: w30_prmt_vote
extern "C" __global__ void w30_prmt_vote(unsigned *out)
{
    const unsigned t = threadIdx.x;
    __shared__ __align__(128) u S[128]; __shared__ __align__(16) u D[16]; __shared__ __align__(8) ull bar;
    S[t] = 0; S[t+2]=0; D[t] = 0; D[t+2] = 0; __syncthreads();
    u sa = (u)__cvta_generic_to_shared(S), da = (u)__cvta_generic_to_shared(D), ba = (u)__cvta_generic_to_shared(&bar);
    if (t == 0) {
        u n = 0, s = 0;
        while (!__any_sync(1u, (LOOK(M[9]) & 0xff00) != 0));
        out[0] = 1;
    } else { ((volatile unsigned char *)M)[37] = 9; }
}
