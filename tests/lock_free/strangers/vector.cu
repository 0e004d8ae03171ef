// Dechev's vector: pending write of the descriptor is completed by CAS by whoever comes, then the size goes on by CAS
// of the descriptor just read; fails only by another.

// nothing: push_back
// descriptor: size:16 | pending:1 at bit 16 | value:32 at bit 32
extern "C" __global__ void push_back(unsigned long long *desc, unsigned *data, int *out)
{
    unsigned long long d = *(volatile unsigned long long *)desc, n, o;
    unsigned v = threadIdx.x + 1;
    do {
        unsigned size = d & 0xffff;
        if (d >> 16 & 1) atomicCAS(&data[size - 1], 0u, (unsigned)(d >> 32));
        n = (unsigned long long)v << 32 | 1u << 16 | (size + 1);
        o = d;
        d = atomicCAS(desc, o, n);
    } while (d != o);
    unsigned at = (n & 0xffff) - 1;
    atomicCAS(&data[at], 0u, v);
    atomicCAS(desc, n, n & 0xffff);
    out[threadIdx.x] = 1;
}
