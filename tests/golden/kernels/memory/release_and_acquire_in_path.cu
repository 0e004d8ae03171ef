// The path publishes its item by st.release and what follows polls the item's own state by ld.acquire.
//
// RUN: ccc --block 96
// LAUNCH: states 2 96 i32:900 i32[900]=below:9:1 i32[900]=0 i32[900]=0 i32[900]=0
// EXPECT: same-memory
extern "C" __global__ void states(int n, const int *__restrict__ k, int *__restrict__ data, int *__restrict__ state, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            data[i] = h;
            asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(__cvta_generic_to_global(state + i)), "r"(1) : "memory");
        }
        int s;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(s) : "l"(__cvta_generic_to_global(state + i)) : "memory");
        out[i] = s ? 100 : 200;
    }
}
