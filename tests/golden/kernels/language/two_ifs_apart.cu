// Two marked branches of one loop that touch different arrays, with a condition on each other's flag in a register.
//
// RUN: ccc --block 96
// LAUNCH: two_ifs_apart 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0
// LAUNCH: two_ifs_apart 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void two_ifs_apart(int n, const int *__restrict__ in, int *__restrict__ a, int *__restrict__ b) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        bool first = in[i] % 3 == 0;
//#CCC if probability(0.3)
        if (first) {
            int h = i;
            for (int k = 0; k < 60; ++k) h = h * 48271 + in[i];
            a[i] = h;
        }
//#CCC if probability(0.1)
        if (!first && in[i] % 7 == 1) {
            int h = -i;
            for (int k = 0; k < 120; ++k) h = h * 69621 + k;
            b[i] = h;
        }
    }
}
