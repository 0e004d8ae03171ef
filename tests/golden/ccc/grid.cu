// Kernels of one item per thread: the first blocks do the work of all, so that the marked path is in a loop.
//
// RUN: ccc --block 64
// REPORT: grid line 28: the first blocks do the work of all
// REPORT: region line 32 in loop line 28: context
// CHECK: %nctaid.z
// CHECK: //#CCC for_begin
// CHECK: vote.sync.ballot
// PTXAS: sm_90
// LAUNCH: items 40 64 i32:2560 i32[2560]=rand:1 i32[2560]=0
// EXPECT: efficiency rises
// LAUNCH: items 9 64 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes
// LAUNCH: items 7 64 i32:400 i32[448]=rand:2 i32[448]=0
// LAUNCH: items 1 1 i32:1 i32[1]=0 i32[1]=0
// LAUNCH: items 5 33 i32:165 i32[165]=rand:3 i32[165]=0
// LAUNCH: planes 3,5,4 8,2,2 i32:3 i32[1920]=rand:4 i32[1920]=0
// LAUNCH: planes 1,7,1 8,2,2 i32:3 i32[1920]=rand:5 i32[1920]=0
// LAUNCH: planes 2,1,9 1,1,1 i32:2 i32[1920]=rand:6 i32[1920]=0
// LAUNCH: planes 13,1,1 8,2,2 i32:3 i32[1920]=rand:7 i32[1920]=0
// LAUNCH: plain 300 32 i32[9600]=rand:8 i32[9600]=0
// LAUNCH: plain 2 7 i32[14]=rand:9 i32[14]=0
// EXPECT: same-memory

// Early returns, and few lanes on the path.
extern "C" __global__ void items(int n, const int *key, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#CCC grid blocks(3)
    if (i >= n) return;
    int x = key[i];
#CCC if
    if (x % 5 == 0) {
        for (int k = 0; k < 30; ++k) x = x * 1664525 + 1013904223;
        out[i] = x;
    }
}

// All three dimensions of the grid.
extern "C" __global__ void planes(int rare, const int *key, int *out) {
#CCC grid block(32) blocks(4)
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    int x = key[i] ^ blockIdx.y;
#CCC if
    if (x % rare == 0) {
        for (int k = 0; k < 20; ++k) x = x * 22695477 + 1;
        out[i] = x + blockIdx.z;
    }
}

// Without a region there is a loop all the same, over what the device holds.
extern "C" __global__ void plain(const int *key, int *out) {
#CCC grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (key[i] < 0) return;
    out[i] = key[i] / 3;
}
