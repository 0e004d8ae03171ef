// Increments unless zero, decrement by one atomic; CAS fails only by another.

// nothing: rc
__device__ bool acquire(int *r)
{
    for (int c = *(volatile int *)r; c; ) {
        int s = atomicCAS(r, c, c + 1);
        if (s == c) return true;
        c = s;
    }
    return false;
}
extern "C" __global__ void rc(int *r, int *out)
{
    int *m = &r[threadIdx.x & 3], freed = 0;
    if (acquire(m)) freed = atomicSub(m, 1) == 1;
    out[threadIdx.x] = freed;
}
