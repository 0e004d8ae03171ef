// Treiber stack: index and tag in 64 bits; pool in device globals
//
// nothing: _Z4workPKiPii
typedef unsigned long long ull;
#define N 65536
__device__ ull g_top = 0xffffffffull;
__device__ unsigned g_next[N];
__device__ int g_val[N];
__device__ void push(unsigned i) {
    ull old = atomicAdd(&g_top, 0ull), nw;
    do {
        nw = old;
        *(volatile unsigned *)&g_next[i] = (unsigned)nw;
        __threadfence();
        ull seen = atomicCAS(&g_top, nw, ((nw >> 32) + 1) << 32 | i);
        old = seen;
    } while (old != nw);
}
__device__ unsigned pop() {
    for (;;) {
        ull top = *(volatile ull *)&g_top;
        unsigned i = (unsigned)top;
        if (i == 0xffffffffu) return i;
        unsigned nx = *(volatile unsigned *)&g_next[i];
        if (atomicCAS(&g_top, top, ((top >> 32) + 1) << 32 | nx) == top) return i;
    }
}
__global__ void work(const int *in, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned i = pop();
    if (i == 0xffffffffu) { out[t] = -1; return; }
    g_val[i] = in[t];
    out[t] = g_val[i] * 2;
    push(i);
}
