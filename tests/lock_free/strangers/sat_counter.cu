// Decrement if positive, add up to a limit: CAS of the value just read, leaves at the limit; failing: another changed
// it.

// nothing: k
__device__ bool take(int *c)
{
    int v = *(volatile int *)c;
    while (v > 0) { int o = atomicCAS(c, v, v - 1); if (o == v) return true; v = o; }
    return false;
}
extern "C" __global__ void k(int *c, int *out)
{
    bool a = take(c);
    int v = c[1], o;
    do { o = v; int n = o > 250 - 9 ? 250 : o + 9; v = atomicCAS(&c[1], o, n); } while (v != o);
    out[threadIdx.x] = a + 2 * (v & 1);
}
