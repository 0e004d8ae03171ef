// The path reads its lane by volatile inline PTX, which the compiler may not move out of it.
//
// RUN: ccc --block 96
// LAUNCH: own 2 96 i32:250 i32[250]=below:16:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void own(int n, const int *__restrict__ pick, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            unsigned lane, tid;
            asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
            asm volatile("mov.u32 %0, %%tid.x;" : "=r"(tid));
            int h = p + lane * 1000 + tid;
            for (int j = 0; j < 9; ++j) h = h * 33 + 1;
            out[i] = h;
        }
    }
}
