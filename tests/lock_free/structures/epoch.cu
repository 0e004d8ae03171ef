// Epoch based reclamation without waiting: pin announces the epoch and rechecks, advance tries once.
typedef unsigned u32;
__device__ u32 pin(u32 *global, u32 *local) {
    u32 e = *(volatile u32 *)global, again;
    while (true) {
        *(volatile u32 *)local = e << 1 | 1;
        __threadfence();
        again = *(volatile u32 *)global;
        if (again == e) return e;
        e = again;
    }
}
__device__ bool try_advance(u32 *global, u32 *locals, int threads) {
    u32 e = *(volatile u32 *)global;
    for (int i = 0; i < threads; ++i) {
        u32 l = *(volatile u32 *)&locals[i];
        if ((l & 1) && l >> 1 != e) return false;
    }
    return atomicCAS(global, e, e + 1) == e;
}
// assumed: k
extern "C" __global__ void k(u32 *global, u32 *locals, int threads, int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    u32 e = pin(global, &locals[i]);
    out[i] = data[e % 3];
    __threadfence();
    *(volatile u32 *)&locals[i] = 0;
    try_advance(global, locals, threads);
}
