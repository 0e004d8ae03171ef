// CAS of a packed (value,index); leaves when not better; failing: another has changed it.

// nothing: argmin
extern "C" __global__ void argmin(const float *x, unsigned long long *best)
{
    unsigned long long mine = (unsigned long long)__float_as_uint(x[threadIdx.x]) << 32 | threadIdx.x;
    unsigned long long b = *best;
    while (__uint_as_float((unsigned)(mine >> 32)) < __uint_as_float((unsigned)(b >> 32)) || (b >> 63)) {
        unsigned long long o = atomicCAS(best, b, mine);
        if (o == b) break;
        b = o;
    }
}
