// The path arrives at an mbarrier, for which all threads wait behind the loop.
//
// RUN: ccc --block 96
// REFUSED: line 18: the marked path has `mbarrier.arrive.shared.b64`, which is part of an asynchronous copy: the thread that starts a copy must wait for it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ unsigned long long bar;
    __shared__ int s[256];
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory");
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
        s[i] = i * 3;
#CCC if
        if (v == 1) {
            s[i] = i * 7;
            asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(b) : "memory");
        }
        else asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(b) : "memory");
    }
    int done;
    do { asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory"); } while (!done);
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}
