// Raises a clock to at least t+1 and takes a unique stamp: each CAS fails only because the clock has risen by another.

// nothing: lc
extern "C" __global__ void lc(unsigned *clk, unsigned *out)
{
    unsigned seen = threadIdx.x / 2, c = *(volatile unsigned *)clk, n;
    do { n = max(c, seen) + 1; unsigned o = atomicCAS(clk, c, n); if (o == c) break; c = o; } while (true);
    out[threadIdx.x] = n > 0;
}
