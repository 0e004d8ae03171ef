// The path waits with ld.acquire for a flag of its element; the rest reads what the flag announces. No fence anywhere in the loop.
//
// RUN: ccc --block 64
// LAUNCH: k 2 64 i32:200 i32[200]=below:4:1 i32[200]=iota i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ flag, int* __restrict__ out) {
    if (blockIdx.x == 1) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            a[i] = i * 7;
            __threadfence();
            atomicExch(&flag[i], 1);
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (kind[i] != 1) while (atomicAdd(&flag[i], 0) == 0) {}
        }
        __threadfence();
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                int f;
                do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(__cvta_generic_to_global(flag + i)) : "memory"); } while (f == 0);
            }
            out[i] = *(volatile int*)&a[i];
        }
    }
}
