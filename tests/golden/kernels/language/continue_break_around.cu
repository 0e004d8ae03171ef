// Elements are skipped with `continue`, and a sentinel ends a thread's loop early.
//
// RUN: ccc --block 96
// LAUNCH: continue_break_around 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[64]=0
// LAUNCH: continue_break_around 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[64]=0
// EXPECT: same-memory

extern "C" __global__ void continue_break_around(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ seen) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        if (v == 39) break;
        if (v % 3 == 1) continue;
//#CCC if
        if (v % 5 == 0) {
            int h = v;
            while (h < 1000) h = h * 2 + 1;
            out[i] = h;
            atomicAdd(&seen[v], 1);
        }
        if (v == 38) break;
        if (v & 1) continue;
        atomicAdd(&seen[63], v);
    }
}
