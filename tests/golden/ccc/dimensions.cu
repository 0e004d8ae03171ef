// Blocks of two and three dimensions: warps are cut from the linear thread number, and so are the stacks.
//
// RUN: ccc
// REPORT: stack 4096 bytes for 1024 threads (assumed)
// CHECK: %tid.y
// CHECK: %tid.z
// PTXAS: sm_90
// LAUNCH: cells 1 33,5 i32:2000 i32[2000]=rand:1 i32[2000]=0
// LAUNCH: cells 2 5,7 i32:2000 i32[2000]=rand:2 i32[2000]=0
// LAUNCH: cells 2 3,3,11 i32:2000 i32[2000]=rand:3 i32[2000]=0
// LAUNCH: cells 2,2,2 1,1,64 i32:2000 i32[2000]=rand:4 i32[2000]=0
// LAUNCH: cells 1 32,32 i32:5000 i32[5000]=rand:5 i32[5000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: cells 1 1,2,3 i32:200 i32[200]=rand:6 i32[200]=0
// EXPECT: same-memory

extern "C" __global__ void cells(int n, const int *key, int *out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int size = blockDim.x * blockDim.y * blockDim.z;
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int blocks = gridDim.x * gridDim.y * gridDim.z;
#CCC for
    for (int i = block * size + thread; i < n; i += blocks * size) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = key[i];
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}
