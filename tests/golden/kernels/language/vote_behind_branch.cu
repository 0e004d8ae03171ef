// A vote of the whole warp stands behind the rare branch in the same iteration.
//
// RUN: ccc --block 96
// LAUNCH: vote_behind_branch 2 96 i32:5 i32[1000]=below:40:1 i32[1000]=0 i32[8]=0
// LAUNCH: vote_behind_branch 1 64 i32:3 i32[1000]=below:40:2 i32[1000]=0 i32[8]=0
// EXPECT: same-memory

extern "C" __global__ void vote_behind_branch(int rounds, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ votes) {
    int t = threadIdx.x;
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int v = in[r * 96 + t];
//#CCC if
        if (v > 30) {
            int h = v;
            for (int k = 0; k < (v & 7); ++k) h = h * 3 + t;
            out[(blockIdx.x * blockDim.x + t) * 5 + r] = h;
        }
        unsigned b = __ballot_sync(0xffffffff, v & 1);
        if (t % 32 == 0) atomicAdd(&votes[r], __popc(b));
    }
}
