// A flag and its value are written together as a vector of two words, and read as one until the flag is there.
// HANGS: O3 G
// ENDS: 5 6 7 8 9
extern "C" __global__ void k(int *data, int n) {
    __shared__ __align__(8) int pairs[128];
    int i = threadIdx.x, v = n + 1;
    unsigned a = (unsigned)__cvta_generic_to_shared(pairs);
    pairs[2 * i] = 0;
    pairs[2 * i + 1] = 0;
    __syncthreads();
    if (i > 0) {
        int flag, value;
        do {
            asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(flag), "=r"(value) : "r"(a + 8 * (i - 1)) : "memory");
        } while (flag == 0);
        v = value + 1;
    }
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(a + 8 * i), "r"(1), "r"(v) : "memory");
    data[blockIdx.x * 64 + i] = v;
}
