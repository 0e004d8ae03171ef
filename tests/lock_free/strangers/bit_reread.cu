// Reads the word anew in each round; a bit that was free when read is lost only to another that got it; full leaves.

// nothing: br
extern "C" __global__ void br(unsigned *w, int *out)
{
    int s = -1;
    for (unsigned m; (m = *(volatile unsigned *)w) != ~0u; ) {
        int b = __ffs(~m) - 1;
        if ((atomicOr(w, 1u << b) >> b & 1) == 0) { s = b; break; }
    }
    out[threadIdx.x] = s >= 0;
}
