// Two marked paths in one loop, one after the other: each has a stack, a vote and one copy behind the loop. A lane may take both in one
// iteration. The loop is made uniform once: one vote on whether any lane has an iteration left.
//
// RUN: ccc --block 128 --arch sm_75
// REPORT: region line 68 in loop line 66: context
// REPORT: region line 74 in loop line 66: context
//
// CHECK-NOT: ccc_stack_1
// CHECK: $$ccc_enter:
// CHECK: mov.pred $(first=%ccc_want[_0-9]*), 0;
// CHECK: mov.pred $(second=%ccc_want[_0-9]*), 0;
// CHECK: $$ccc_tail:
// CHECK: vote.sync.ballot.b32
// CHECK: vote.sync.any.pred
// CHECK: ld.shared
// CHECK: bar.warp.sync
// CHECK: $$ccc_region:
// CHECK: st.global
// CHECK: vote.sync.ballot.b32
// CHECK-NOT: vote.sync.any
// CHECK: ld.shared
// CHECK: bar.warp.sync
// CHECK: st.global
// CHECK-NOT: st.global
// CHECK: $$ccc_push:
// CHECK: st.shared
// CHECK: bar.warp.sync
// CHECK: st.shared
// CHECK: bar.warp.sync
// CHECK: $$ccc_drained:
// CHECK-NOT: CCC if_begin
//
// PTXAS: sm_75 sm_90 sm_100
// LAUNCH: two_paths 2 128 i32:3000 i32[3000]=rand:1 i32[3000]=rand:2 i32[3000]=0 i32[3000]=0
// LAUNCH: two_paths 1 33 i32:500 i32[500]=rand:3 i32[500]=rand:4 i32[500]=0 i32[500]=0
// LAUNCH: two_paths 1 1 i32:70 i32[70]=rand:5 i32[70]=rand:6 i32[70]=0 i32[70]=0
// LAUNCH: two_paths 5 31 i32:999 i32[999]=rand:7 i32[999]=rand:8 i32[999]=0 i32[999]=0
// EXPECT: same-memory
// LAUNCH: two_paths 2 128 i32:6000 i32[6000]=rand:1 i32[6000]=rand:2 i32[6000]=0 i32[6000]=0
// EXPECT: same-memory, efficiency rises
//
// Nothing to do, and nobody takes any path.
// LAUNCH: two_paths 2 64 i32:0 i32[1]=0 i32[1]=0 i32[1]=0 i32[1]=0
// LAUNCH: two_paths 2 64 i32:1000 i32[1000]=1 i32[1000]=1 i32[1000]=0 i32[1000]=0
// EXPECT: no-writes
//
// All lanes take both paths; all take the first only; all take the second only; one lane of the first path is left to the end.
// LAUNCH: two_paths 2 64 i32:1000 i32[1000]=8 i32[1000]=8 i32[1000]=0 i32[1000]=0
// LAUNCH: two_paths 2 64 i32:1000 i32[1000]=8 i32[1000]=1 i32[1000]=0 i32[1000]=0
// LAUNCH: two_paths 1 33 i32:1000 i32[1000]=1 i32[1000]=8 i32[1000]=0 i32[1000]=0
// LAUNCH: two_paths 1 32 i32:33 i32[33]=8 i32[33]=1 i32[33]=0 i32[33]=0
// EXPECT: same-memory
//
// The last iteration fills the first stack beyond a warp while the second is empty: what is left of the first must still run.
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:1 i32[64]=1 i32[64]=0 i32[64]=0
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:2 i32[64]=1 i32[64]=0 i32[64]=0
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:3 i32[64]=1 i32[64]=0 i32[64]=0
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:4 i32[64]=1 i32[64]=0 i32[64]=0
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:5 i32[64]=1 i32[64]=0 i32[64]=0
// LAUNCH: two_paths 1 32 i32:64 i32[64]=below:2:6 i32[64]=1 i32[64]=0 i32[64]=0
// EXPECT: same-memory

extern "C" __global__ void two_paths(int n, const int *key, const int *other, int *out, int *second) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i + 1;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        }
#CCC if
        if ((other[i] & 7) == 0) {
            int x = i + 1;
            for (int k = 0; k < (i & 31); ++k) x = x * 5 + k;
            second[i] = x;
        }
    }
}
