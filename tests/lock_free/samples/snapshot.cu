// obstruction-free snapshot: double collect of versioned registers
//
// nothing: _Z4snapPyPj
typedef unsigned long long u64;
template <int N> __device__ void collect(const volatile u64 *regs, u64 *to) {
#pragma unroll
    for (int i = 0; i < N; i++) to[i] = regs[i];
}
__device__ void update(u64 *regs, int i, unsigned v) {
    u64 o = ((volatile u64 *)regs)[i];
    atomicExch(regs + i, ((o >> 32) + 1) << 32 | v);
}
template <int N> __device__ unsigned scan(const volatile u64 *regs) {
    u64 a[N], b[N];
    collect<N>(regs, a);
    while (true) {
        __threadfence();
        collect<N>(regs, b);
        bool same = true;
#pragma unroll
        for (int i = 0; i < N; i++) same &= a[i] == b[i];
        if (same) break;
#pragma unroll
        for (int i = 0; i < N; i++) a[i] = b[i];
    }
    unsigned s = 0;
    for (int i = 0; i < N; i++) s += (unsigned)a[i];
    return s;
}
__global__ void snap(u64 *regs, unsigned *out) {
    int t = threadIdx.x;
    if (t < 8) update(regs, t, t * 3);
    else out[t] = scan<8>(regs);
}
