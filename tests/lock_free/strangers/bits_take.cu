// Takes set bits of a task mask by atomicAnd; every round either has the bit or learns that another took it; the mask
// only loses bits while the loop looks at its own copy.

// nothing: tasks
extern "C" __global__ void tasks(unsigned *mask, int *out)
{
    int n = 0;
    for (int w = 0; w < 4; ++w) {
        unsigned m = *(volatile unsigned *)&mask[w];
        while (m) {
            unsigned b = 1u << (31 - __clz(m));
            unsigned was = atomicAnd(&mask[w], ~b);
            if (was & b) n += __popc(b - 1);
            m = was & ~b;
        }
    }
    out[threadIdx.x] = n >= 0;
}
