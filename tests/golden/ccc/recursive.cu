// A function that calls itself as the last thing that it does: the compiler makes a loop of it, which is run step by step. The
// directive stands above the call in the marked loop, because there it is seen where the task ends.
//
// RUN: ccc --block 64 --arch sm_75
// REPORT: region line 31 in loop line 26: context
// CHECK: $$ccc_step:
// CHECK: atom
// CHECK: $$ccc_again:
// PTXAS: sm_75 sm_90
// LAUNCH: sift 2 64 i32:600 i32[600]=rand:1 i32[1024]=0 i32[600]=0
// LAUNCH: sift 1 33 i32:200 i32[600]=rand:2 i32[1024]=0 i32[600]=0
// LAUNCH: sift 1 1 i32:20 i32[600]=rand:3 i32[1024]=0 i32[600]=0
// EXPECT: same-memory
// LAUNCH: sift 1 64 i32:3000 i32[3000]=rand:4 i32[1024]=0 i32[3000]=0
// EXPECT: same-memory, efficiency rises

// Walks down a tree by the bits of a key and counts the nodes that it passes.
__device__ int descend(int node, unsigned key, int depth, int *visits) {
    atomicAdd(&visits[node & 1023], 1);
    if ((key & 3) == 0 || depth > 40) return depth;
    return descend(2 * node + (key & 1), key >> 1 | key << 31, depth + 1, visits);
}

extern "C" __global__ void sift(int n, const unsigned *keys, int *visits, int *depths) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned key = keys[i];
        // A key without neighbouring zeros would go round.
        if (key == 0xffffffffu) continue;
#CCC recursive
        int depth = descend(1, key, 0, visits);
        depths[i] = depth;
    }
}
