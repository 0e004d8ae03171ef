// The condition of the rare branch holds a vote of the whole warp.
//
// RUN: ccc --block 96
// LAUNCH: barrier_in_condition 2 96 i32:5 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: barrier_in_condition 1 64 i32:3 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void barrier_in_condition(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    int t = threadIdx.x;
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int v = in[r * 96 + t];
//#CCC if
        if (__any_sync(0xffffffff, v == 39) && v > 20) {
            int h = v;
            for (int k = 0; k < (v & 7); ++k) h = h * 3 + t;
            out[(blockIdx.x * blockDim.x + t) * 5 + r] = h;
        }
    }
}
