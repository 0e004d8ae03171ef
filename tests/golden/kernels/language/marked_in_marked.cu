// A marked branch in a marked branch, both with work before and behind.
//
// RUN: ccc --block 96
// LAUNCH: marked_in_marked 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[4]=0
// LAUNCH: marked_in_marked 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[4]=0
// EXPECT: same-memory

extern "C" __global__ void marked_in_marked(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ sums) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 12) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + in[i];
            atomicAdd(&sums[0], h);
//#CCC if
            if ((h & 7) == 2) {
                for (int k = 0; k < 12; ++k) h = h * 69621 + k;
                out[i] = h;
            }
            atomicAdd(&sums[1], 1);
        }
    }
}
