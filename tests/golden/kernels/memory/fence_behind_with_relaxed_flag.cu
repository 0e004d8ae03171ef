// The item is written in the path; behind it a fence by inline PTX and a relaxed store to a flag that a later block waits for.
//
// RUN: ccc --block 64
// LAUNCH: publish 2 64 i32:200 i32[200]=below:4:1 i32[200]=5 i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void publish(int n, const int *__restrict__ k, int *__restrict__ data, int *__restrict__ flag, int *__restrict__ out) {
    if (blockIdx.x == 0) {
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
            if (k[i] == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                data[i] = h;
            }
            asm volatile("fence.acq_rel.gpu;\n st.relaxed.gpu.global.u32 [%0], 1;" :: "l"(__cvta_generic_to_global(flag + i)) : "memory");
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int f;
            do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(__cvta_generic_to_global(flag + i)) : "memory"); while (f == 0);
            out[i] = *(volatile int *)(data + i);
        }
    }
}
