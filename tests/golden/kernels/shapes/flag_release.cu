// As `flag`, but the flag is set by a store with release semantics.
//
// RUN: ccc --block 64
// LAUNCH: k 2 64 i32:200 i32[200]=below:4:1 i32[200]=iota i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ flag, int* __restrict__ out) {
    if (blockIdx.x == 0) {
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                a[i] = i * 7 + v;
            }
            asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(__cvta_generic_to_global(flag + i)) : "memory");
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int f;
            do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(__cvta_generic_to_global(flag + i)) : "memory"); } while (f == 0);
            out[i] = *(volatile int*)&a[i];
        }
    }
}
