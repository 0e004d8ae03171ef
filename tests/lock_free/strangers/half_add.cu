// CAS on the word around a 16-bit half; fails only by another's update.

// nothing: k
__device__ void add16(unsigned short *p, unsigned short v)
{
    unsigned *w = (unsigned *)((size_t)p & ~(size_t)2);
    bool hi = (size_t)p & 2;
    unsigned old = *w, assumed;
    do {
        assumed = old;
        unsigned short h = hi ? old >> 16 : old & 0xffff;
        h += v;
        unsigned n = hi ? (old & 0xffff) | (unsigned)h << 16 : (old & 0xffff0000u) | h;
        old = atomicCAS(w, assumed, n);
    } while (assumed != old);
}
extern "C" __global__ void k(unsigned short *h) { add16(&h[threadIdx.x & 15], threadIdx.x); }
