// Double collect snapshot (Afek et al. 1993, the lock-free form): writers bump a sequence number with each value.
typedef unsigned long long u64;
#define N 8
__device__ void update(u64 *regs, int i, unsigned value) {
    u64 old = *(volatile u64 *)&regs[i];
    *(volatile u64 *)&regs[i] = ((old >> 32) + 1) << 32 | value;
}
__device__ unsigned scan(u64 *regs, unsigned *view) {
    u64 a[N], b[N];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) a[i] = *(volatile u64 *)&regs[i];
    while (true) {
        bool same = true;
#pragma unroll
        for (int i = 0; i < N; ++i) { b[i] = *(volatile u64 *)&regs[i]; same &= a[i] == b[i]; }
        if (same) break;
#pragma unroll
        for (int i = 0; i < N; ++i) a[i] = b[i];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) { view[i] = (unsigned)b[i]; sum += (unsigned)b[i]; }
    return sum;
}
// nothing: k
extern "C" __global__ void k(u64 *regs, unsigned *views, unsigned *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && blockIdx.x < N) update(regs, blockIdx.x, i);
    sums[i] = scan(regs, views + i * N);
}
