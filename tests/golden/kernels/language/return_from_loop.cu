// A thread that meets the last key returns from within the loop.
//
// RUN: ccc --block 96
// LAUNCH: return_from_loop 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1]=0
// LAUNCH: return_from_loop 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1]=0
// EXPECT: same-memory

extern "C" __global__ void return_from_loop(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ full) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v % 5 == 0) {
            int h = v;
            while (h < 1000) h = h * 2 + 1;
            out[i] = h;
        }
        if (v == 17) return;
    }
    atomicAdd(full, 1);
}
