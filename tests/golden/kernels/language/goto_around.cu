// Jumps lead past the rare branch and to the end of the iteration.
//
// RUN: ccc --block 96
// LAUNCH: goto_around 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[8]=0
// LAUNCH: goto_around 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[8]=0
// EXPECT: same-memory

extern "C" __global__ void goto_around(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ kinds) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        if (v < 10) goto small;
        if (v > 30) goto next;
//#CCC if
        if (v & 1) {
            int h = v;
        again:
            h = h * 3 + 1;
            if (h < 500) goto again;
            out[i] = h;
        }
        atomicAdd(&kinds[0], 1);
        goto next;
    small:
        atomicAdd(&kinds[1], v);
    next:
        atomicAdd(&kinds[2], 1);
    }
}
