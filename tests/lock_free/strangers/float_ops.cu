// Classic CAS loops on bits (max, double add, product); fails only by another's update.

// nothing: red
__device__ float fmaxat(float *a, float v)
{
    int *p = (int *)a, old = *p, as;
    do { as = old; old = atomicCAS(p, as, __float_as_int(fmaxf(v, __int_as_float(as)))); } while (as != old);
    return __int_as_float(old);
}
__device__ double addat(double *a, double v)
{
    unsigned long long *p = (unsigned long long *)a, old = *p, as;
    do { as = old; old = atomicCAS(p, as, __double_as_longlong(v + __longlong_as_double(as))); } while (as != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void red(const float *x, float *m, double *s, float *prod)
{
    float v = x[threadIdx.x];
    if (*(volatile float *)m < v) fmaxat(m, v);
    addat(s, (double)v);
    unsigned cur = __float_as_uint(*(volatile float *)prod), want;
    for (;;) {
        want = cur;
        cur = atomicCAS((unsigned *)prod, want, __float_as_uint(__uint_as_float(want) * (1.0f + v)));
        if (cur == want) return;
    }
}
