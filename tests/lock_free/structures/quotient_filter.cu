// Quotient filter lookup (Geil et al. 2018, standard QF): walk back to the start of the cluster, then on to the run.
__device__ __forceinline__ bool occupied(unsigned e) { return e & 1; }
__device__ __forceinline__ bool continuation(unsigned e) { return e & 2; }
__device__ __forceinline__ bool shifted(unsigned e) { return e & 4; }
__device__ bool contains(const volatile unsigned *qf, unsigned q, unsigned r, unsigned hash) {
    unsigned fq = (hash >> r) & ((1u << q) - 1), fr = hash & ((1u << r) - 1), size = 1u << q;
    if (!occupied(qf[fq])) return false;
    unsigned b = fq, walked = 0;
    while (shifted(qf[b]) && walked < size) { b = (b - 1) & (size - 1); ++walked; }
    unsigned s = b;
    walked = 0;
    while (b != fq && walked < size) {
        do { s = (s + 1) & (size - 1); } while (continuation(qf[s]) && ++walked < size);
        do { b = (b + 1) & (size - 1); ++walked; } while (!occupied(qf[b]) && walked < size);
    }
    do {
        unsigned rem = qf[s] >> 3;
        if (rem == fr) return true;
        if (rem > fr) return false;
        s = (s + 1) & (size - 1);
    } while (continuation(qf[s]) && ++walked < 2 * size);
    return false;
}
// assumed: k
extern "C" __global__ void k(const unsigned *qf, unsigned q, unsigned r, const unsigned *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = contains(qf, q, r, in[i] * 0x9e3779b1u);
}
