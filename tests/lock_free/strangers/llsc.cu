// LL/SC by a version in the upper half: SC fails only if another SC has succeeded since LL.

// nothing: llsc
struct link { unsigned long long seen; };
__device__ unsigned LL(unsigned long long *p, link &l) { l.seen = atomicAdd(p, 0ull); return (unsigned)l.seen; }
__device__ bool SC(unsigned long long *p, const link &l, unsigned v)
{
    return atomicCAS(p, l.seen, ((l.seen >> 32) + 1) << 32 | v) == l.seen;
}
extern "C" __global__ void llsc(unsigned long long *p, unsigned *out)
{
    link l; unsigned v;
    do v = LL(p, l); while (!SC(p, l, v * 3 + 1));
    out[threadIdx.x] = 1;
}
