// RDCSS (Harris 2002): if the cell holds a descriptor, it is completed by CAS (by whoever meets it, also its owner is
// not needed), then CAS again; fails only by another's success.

// nothing: rdcss
// values are even; a descriptor is id<<1|1; desc: [id] new value if section==0
extern "C" __global__ void rdcss(unsigned *cell, unsigned *desc, int *out)
{
    unsigned me = threadIdx.x, *a = &cell[me & 1], *sect = &cell[2];
    unsigned tag = me << 1 | 1, r;
    for (int tries = 0; ; ) {
        unsigned exp = *(volatile unsigned *)a;
        if (exp & 1) {                                              // help
            unsigned n = *(volatile unsigned *)&desc[exp >> 1];
            unsigned to = *(volatile unsigned *)sect == 0 ? n : n - 2;
            atomicCAS(a, exp, to);
            continue;
        }
        *(volatile unsigned *)&desc[me] = exp + 2;
        __threadfence();
        r = atomicCAS(a, exp, tag);
        if (r == exp) {
            unsigned to = *(volatile unsigned *)sect == 0 ? exp + 2 : exp;
            atomicCAS(a, tag, to);
            break;
        }
    }
    out[me] = 1;
}
