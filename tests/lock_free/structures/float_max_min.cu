__device__ float atomicMaxf(float *address, float val) {
    int *address_as_int = (int *)address;
    int old = *address_as_int, assumed;
    while (val > __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(val));
    }
    return __int_as_float(old);
}
__device__ float atomicMinf(float *address, float val) {
    int old = __float_as_int(*address), assumed;
    if (__int_as_float(old) <= val) return __int_as_float(old);
    do {
        assumed = old;
        old = atomicCAS((int *)address, assumed, __float_as_int(fminf(val, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
// assumed: k
extern "C" __global__ void k(const float *in, float *hi, float *lo, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicMaxf(hi, in[i]);
        atomicMinf(lo, in[i]);
    }
}
