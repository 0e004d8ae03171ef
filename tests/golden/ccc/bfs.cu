// One level of breadth-first search: the paper's example, a loop over vertices of which few are in the current level.
//
// RUN: ccc --block 256
// REPORT: kernel bfs: shared 1024 bytes
// REPORT-NEXT: region line 43 in loop line 41: context 4 bytes, stack 1024 bytes for 256 threads
// REPORT-NEXT: b32 4 bytes: differs between lanes
// REPORT: kept
//
// Behind the loop: the votes, the pop, the one copy of the path, the push.
// CHECK: .maxntid 256, 1, 1
// CHECK: $$ccc_tail:
// CHECK: vote.sync.ballot.b32
// CHECK: vote.sync.any.pred
// CHECK: ld.shared.b32
// CHECK: bar.warp.sync
// CHECK: $$ccc_region:
// CHECK: atom.global.add.u32
// CHECK-NOT: atom.global
// CHECK: $$ccc_push:
// CHECK: st.shared.b32
// CHECK: bar.warp.sync
// CHECK-NOT: CCC if_begin
//
// PTXAS: sm_90 sm_100
// LAUNCH: bfs 2 256 i32:2000 i32:1 i32[2000]=below:8:1 i32[2001]=step:4 i32[8000]=below:2000:2 i32[1]=0 i32[2000]=0
// LAUNCH: bfs 1 33 i32:100 i32:3 i32[100]=below:8:3 i32[101]=step:4 i32[400]=below:100:4 i32[1]=0 i32[100]=0
// EXPECT: finished, same-memory, argument 5 = 1
// LAUNCH: bfs 4 128 i32:3000 i32:1 i32[3000]=below:8:5 i32[3001]=step:4 i32[12000]=below:3000:6 i32[1]=0 i32[3000]=0
// EXPECT: same-memory, efficiency rises

__device__ void visit(int vertex, int level, int *levels, const int *offsets, const int *edges, int *changed, int *visits) {
    for (int edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) {
        atomicAdd(&visits[edges[edge]], level);
        *changed = 1;
    }
}

extern "C" __global__ void bfs(int vertices, int level, int *levels, const int *offsets, const int *edges, int *changed, int *visits) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int vertex = blockIdx.x * blockDim.x + threadIdx.x; vertex < vertices; vertex += stride) {
#CCC if
        if (levels[vertex] == level) {
            visit(vertex, level, levels, offsets, edges, changed, visits);
        }
    }
}
