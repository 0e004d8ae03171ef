// A loop without a condition that is left from its middle.
//
// RUN: ccc --block 96
// LAUNCH: endless_for 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: endless_for 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void endless_for(int n, const int *__restrict__ in, int *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (;;) {
        if (i >= n) break;
        int at = i;
        i += gridDim.x * blockDim.x;
//#CCC if
        if (in[at] > 30) {
            int h = at;
            for (int k = 0; k < in[at]; ++k) h = h * 48271 + k;
            out[at] = h;
        }
    }
}
