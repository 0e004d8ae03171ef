// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;
__device__ unsigned M[64];
__device__ unsigned long long W[16];

// found: x01
extern "C" __global__ void x01(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[4]; do { for (int i = 0; i < 4; ++i) loc[i] = LOOK(M[8 + i]); n = loc[1]; } while (n == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x02
extern "C" __global__ void x02(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        u loc[4]; do { for (int i = 0; i < 4; ++i) loc[i] = LOOK(M[8 + i]); n = loc[s & 3]; s++; } while (n == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x03
extern "C" __global__ void x03(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        u loc[4]; do { for (int i = 0; i < 4; ++i) loc[(i + s) & 3] = LOOK(M[8 + i]); n = loc[(1 + s) & 3]; s++; } while (n == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x04
extern "C" __global__ void x04(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[2]; loc[0] = loc[1] = 0; while (loc[s & 1] == 0) { s ^= 1; loc[s] = LOOK(M[9]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x05
extern "C" __global__ void x05(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[2]; loc[0] = loc[1] = 0; while (loc[s & 1] == 0) { s++; loc[s & 1] = LOOK(M[9]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x06
extern "C" __global__ void x06(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[2]; loc[0] = loc[1] = 0; u *p; do { p = (u *)&loc[s & 1]; *(volatile u *)p = LOOK(M[9]); s = s + 1; } while (*(volatile u *)p == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x07
extern "C" __global__ void x07(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u loc[2]; u i = 0; loc[0] = 0; while (true) { loc[i & 1] = atomicAdd(&M[9], 0u); if (loc[i & 1]) break; i += 1; }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x08
extern "C" __global__ void x08(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile unsigned char b[8]; do { u v = LOOK(M[9]); for (u i = 0; i < 4; ++i) b[(i + s) & 7] = v >> (8 * i); n = b[s & 7]; s += 3; } while (!n);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x09
namespace of_x09 {
struct S8 { u x, y; unsigned char z[4]; };
__device__ void cp(S8 *d, volatile S8 *s) { for (u i = 0; i < sizeof(S8); ++i) ((volatile unsigned char *)d)[i] = ((volatile unsigned char *)s)[i]; }
extern "C" __global__ void x09(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        S8 a, c; do { cp(&a, (volatile S8 *)&M[8]); c = a; } while (c.y == 0 || c.z[0] != 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x10
namespace of_x10 {
struct S8 { u x, y; unsigned char z[4]; };
__device__ void cp(S8 *d, volatile S8 *s) { for (u i = 0; i < sizeof(S8); ++i) ((volatile unsigned char *)d)[i] = ((volatile unsigned char *)s)[i]; }
extern "C" __global__ void x10(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        S8 a[2]; do { s ^= 1; cp(&a[s], (volatile S8 *)&M[8]); } while (a[s].y == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x11
namespace of_x11 {
struct S8 { u x, y; unsigned char z[4]; };
__device__ void cp(S8 *d, volatile S8 *s) { for (u i = 0; i < sizeof(S8); ++i) ((volatile unsigned char *)d)[i] = ((volatile unsigned char *)s)[i]; }
extern "C" __global__ void x11(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        S8 a[2]; do { ++s; cp(&a[s & 1], (volatile S8 *)&M[8]); } while (a[s & 1].y == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x12
namespace of_x12 {
struct S8 { u x, y; unsigned char z[4]; };
extern "C" __global__ void x12(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        S8 a[2]; do { s ^= 1; a[s] = *(S8 *)&M[8]; __threadfence(); } while (a[s].y == a[s ^ 1].x || a[s].y == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x13
namespace of_x13 {
struct Q { u a[4], i; };
__device__ void push(Q *q, u v) { q->a[q->i & 3] = v; q->i++; }
__device__ u pop(Q *q) { return q->a[(q->i - 1) & 3]; }
extern "C" __global__ void x13(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        Q q; q.i = 0; do { push(&q, LOOK(M[9])); } while (pop(&q) == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x14
namespace of_x14 {
struct Q { u a[4], i; };
__device__ void push(Q *q, u v) { q->a[q->i] = v; q->i++; }
__device__ u pop(Q *q) { q->i--; return q->a[q->i]; }
extern "C" __global__ void x14(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        Q q; q.i = 0; do { push(&q, LOOK(M[9])); } while (pop(&q) == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
}

// found: x15
extern "C" __global__ void x15(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u h[16]; for (u i = 0; i < 16; ++i) h[i] = 0; while (h[s] == 0) { s = (s + 5) & 15; h[s] = LOOK(M[9]); }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x16
extern "C" __global__ void x16(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u h[16]; for (u i = 0; i < 16; ++i) h[i] = i; while (h[s] != 99) { h[s] = LOOK(M[9]) ? 99 : h[(s + 1) & 15]; }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x17
extern "C" __global__ void x17(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u h[4]; h[0] = 1; h[1] = 2; h[2] = 3; h[3] = 0; while (LOOK(M[9]) == 0) { s = h[s]; }
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x18
extern "C" __global__ void x18(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u h[4]; h[0] = 1; h[1] = 2; h[2] = 3; h[3] = 0; do { s = h[s]; } while (LOOK(M[8 + s]) == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}

// found: x19
extern "C" __global__ void x19(unsigned *out)
{
    const unsigned t = threadIdx.x;
    if (t == 0) {
        u n = 0, s = 0;
        volatile u h[4]; h[0] = 1; h[1] = 2; h[2] = 3; h[3] = 0; do { s = h[s]; n = LOOK(M[8 + s]); h[s] = (s + 1 + n) & 3; } while (n == 0);
        out[0] = 1;
    } else { atomicExch(&M[9], 1u); }
}
