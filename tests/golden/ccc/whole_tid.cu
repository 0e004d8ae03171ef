// Inline PTX reads the number of the thread as a whole. Its components travel with the context.
//
// RUN: ccc --block 96
// CHECK-NOT: %tid;
// LAUNCH: whole 2 32,3 i32:1000 i32[1000]=rand:3 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void whole(int n, const int *__restrict__ in, int *__restrict__ out) {
    int thread = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = thread; i < n; i += gridDim.x * blockDim.x * blockDim.y) {
        int v = in[i];
//#CCC if
        if (v > 20) {
            unsigned x, y, z, none;
            asm volatile("mov.v4.u32 {%0, %1, %2, %3}, %%tid;" : "=r"(x), "=r"(y), "=r"(z), "=r"(none));
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h + x + 100 * y + 1000 * z + 7 * none;
        }
    }
}
