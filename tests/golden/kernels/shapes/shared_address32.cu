// Shared memory by 32-bit addresses in asm in the path, by name in the rest.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ int s[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(s);
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            asm volatile("st.shared.u32 [%0+-8], %1;" :: "r"(base + 4 * i + 8), "r"(i * 7) : "memory");
        }
        out[i] = s[i] * 3;
    }
}
