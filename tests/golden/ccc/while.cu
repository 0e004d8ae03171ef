// A loop with an unknown number of steps, run step by step: a lane whose task is over takes up another one, and where there are not
// enough, the unfinished ones go back on the stack. What follows the loop in its block belongs to the task; lanes whose loop has
// no step do it at once, so that the region has a copy of it.
//
// RUN: ccc --block 128 --arch sm_75
// REPORT: region line 49 in loop line 45: context
//
// CHECK: $$ccc_tail:
// CHECK: vote.sync.ballot.b32
// CHECK: vote.sync.any.pred
// CHECK: $$ccc_decide:
// CHECK: bar.warp.sync
// CHECK: $$ccc_region:
// CHECK: $$ccc_step:
// CHECK: st.global
// CHECK: $$ccc_left:
// CHECK: mov.pred %ccc_want, 0;
// CHECK: $$ccc_again:
// CHECK: vote.sync.ballot.b32
// CHECK: @%ccc_test bra $$ccc_step;
// CHECK: $$ccc_drain:
// CHECK: @%ccc_want bra $$ccc_region;
// CHECK: bra $$ccc_again;
// CHECK: $$ccc_push:
//
// PTXAS: sm_75 sm_90 sm_100
// LAUNCH: collatz 2 128 i32:3000 i32[3000]=below:30000:1 i32[3000]=0
// LAUNCH: collatz 1 33 i32:500 i32[500]=below:4000:2 i32[500]=0
// LAUNCH: collatz 1 1 i32:70 i32[70]=below:300:3 i32[70]=0
// LAUNCH: collatz 5 31 i32:999 i32[999]=below:900:4 i32[999]=0
// EXPECT: same-memory
// LAUNCH: collatz 2 64 i32:6000 i32[6000]=below:30000:5 i32[6000]=0
// EXPECT: same-memory, efficiency rises
//
// Nothing to do; no lane has a step; all lanes have as many.
// LAUNCH: collatz 2 64 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes
// LAUNCH: collatz 2 64 i32:1000 i32[1000]=1 i32[1000]=9
// LAUNCH: collatz 2 64 i32:1000 i32[1000]=27 i32[1000]=0
// LAUNCH: collatz 1 32 i32:33 i32[33]=27 i32[33]=0
// EXPECT: same-memory

extern "C" __global__ void collatz(int n, const int *start, int *length) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = start[i];
        int steps = 0;
#CCC while
        while (x > 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            ++steps;
        }
        length[i] = steps;
    }
}
