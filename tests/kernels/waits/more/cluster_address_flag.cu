// The flag is read through the cluster's window of shared memory and set by its name in the block's own (sm_90 and later).
// HANGS: O3 G
// ENDS: 3 4 5 6
extern "C" __global__ void k(int *data, int n) {
    __shared__ int flag[64];
    int i = threadIdx.x, v = n - 1;
    flag[i] = 0;
    __syncthreads();
    if (i > 0) {
#if __CUDA_ARCH__ >= 900
        unsigned a = (unsigned)__cvta_generic_to_shared(&flag[i - 1]), b;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(b) : "r"(a));
        do asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(b) : "memory"); while (v == 0);
#else
        while ((v = *(volatile int *)&flag[i - 1]) == 0) {}
#endif
        ++v;
    }
    *(volatile int *)&flag[i] = v;
    data[blockIdx.x * 64 + i] = v;
}
