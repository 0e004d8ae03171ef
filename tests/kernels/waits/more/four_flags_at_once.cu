// One lane raises four flags by one store of four words; the owners wait, and the last of them goes on with the next four.
// HANGS: O3 G
// ENDS: 1 1 1 1 2 2 2 2 3
extern "C" __global__ void k(int *data, int n) {
    __shared__ __align__(16) int flag[68];
    int i = threadIdx.x;
    flag[i] = 0;
    if (i < 4) flag[64 + i] = 0;
    __syncthreads();
    unsigned a = (unsigned)__cvta_generic_to_shared(flag);
    int v = n - 3;
    if (i >= 4) while ((v = *(volatile int *)&flag[i]) == 0) {}
    if (i % 4 == 3) {
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a + 4 * (i + 1)), "r"(v + 1) : "memory");
    }
    data[blockIdx.x * 64 + i] = v;
}
