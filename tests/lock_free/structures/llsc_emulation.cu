// LL/SC by tagged words (Moir 1997) and a fetch-and-phi on it; plus atomic multiply.
typedef unsigned long long u64;
struct Link { u64 seen; };
__device__ unsigned load_linked(u64 *w, Link *l) { l->seen = *(volatile u64 *)w; return (unsigned)l->seen; }
__device__ bool store_conditional(u64 *w, const Link *l, unsigned v) {
    return atomicCAS(w, l->seen, ((l->seen >> 32) + 1) << 32 | v) == l->seen;
}
__device__ unsigned fetch_and_multiply(u64 *w, unsigned by) {
    Link l;
    unsigned v;
    do { v = load_linked(w, &l); } while (!store_conditional(w, &l, v * by));
    return v;
}
__device__ unsigned long long complex_mul(u64 *z, float a, float b) {
    u64 old = atomicAdd(z, 0ull), assumed;
    do {
        assumed = old;
        float x = __uint_as_float((unsigned)old), y = __uint_as_float((unsigned)(old >> 32));
        u64 fresh = (u64)__float_as_uint(x * b + y * a) << 32 | __float_as_uint(x * a - y * b);
        old = atomicCAS(z, assumed, fresh);
    } while (old != assumed);
    return old;
}
// nothing: k
extern "C" __global__ void k(u64 *w, u64 *z, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = fetch_and_multiply(w, 2 * i + 1);
    complex_mul(z, cosf(i), sinf(i));
}
