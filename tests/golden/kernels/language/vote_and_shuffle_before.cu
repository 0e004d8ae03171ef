// Each iteration starts with a vote and a shuffle of the whole warp, ahead of the rare branch.
//
// RUN: ccc --block 96
// LAUNCH: vote_and_shuffle_before 2 96 i32:5 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: vote_and_shuffle_before 1 64 i32:3 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void vote_and_shuffle_before(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    int t = threadIdx.x;
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int v = in[r * 96 + t];
        unsigned b = __ballot_sync(0xffffffff, v > 20);
        int w = __shfl_xor_sync(0xffffffff, v, 5);
//#CCC if
        if (v > w) {
            int h = v;
            for (int k = 0; k < (w & 7); ++k) h = h * 3 + b;
            out[(blockIdx.x * blockDim.x + t) * 5 + r] = h;
        }
    }
}
