// The path stores by inline PTX, and what follows loads the same word by inline PTX.
//
// RUN: ccc --block 96
// LAUNCH: raw 2 96 i32:250 i32[250]=below:4:1 i32[250]=7 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void raw(int n, const int *__restrict__ k, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
//#CCC if
        if (kind > 1) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(__cvta_generic_to_global(a + i)), "r"(h) : "memory");
        }
        int v;
        asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(a + i) : "memory");
        out[i] = v;
    }
}
