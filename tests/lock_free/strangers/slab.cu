// Walks slabs; each slab has 7 slots tried once; at the end of the chain it allocates one, links it by CAS and goes on
// to whatever slab is linked: the chain comes to an end, and the CAS never has to be repeated.

// nothing: slab_insert
// a slab: 7 keys and the index of the next; slabs 0..3 are the buckets
extern "C" __global__ void slab_insert(unsigned *mem, unsigned *alloc, int *out)
{
    unsigned key = threadIdx.x + 1, slab = key & 3;
    int hops = 0;
    for (;;) {
        unsigned *p = mem + slab * 8;
        bool in = false;
        for (int i = 0; i < 7; ++i) {
            unsigned o = atomicCAS(p + i, 0u, key);
            if (o == 0u || o == key) { in = true; break; }
        }
        if (in) break;
        unsigned nx = *(volatile unsigned *)(p + 7);
        if (nx == 0) {
            unsigned fresh = atomicAdd(alloc, 1u);
            if (fresh >= 256) { hops = -1; break; }
            nx = atomicCAS(p + 7, 0u, fresh);
            if (nx == 0) nx = fresh;
        }
        slab = nx; ++hops;
    }
    out[threadIdx.x] = hops;
}
