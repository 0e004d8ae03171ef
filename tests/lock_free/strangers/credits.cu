// Try-acquire of k of two counters by CAS each, undone by atomicAdd if the second lacks; leaves in any case.

// nothing: cr
__device__ bool tryk(int *c, int k)
{
    int v = atomicAdd(c, 0);
    do { if (v < k) return false; int o = atomicCAS(c, v, v - k); if (o == v) return true; v = o; } while (true);
}
extern "C" __global__ void cr(int *c, int *out)
{
    int k = 1 + threadIdx.x % 3, ok = 0;
    if (tryk(&c[0], k)) { if (tryk(&c[1], k)) ok = 1; else atomicAdd(&c[0], k); }
    out[threadIdx.x] = ok | 1;
}
