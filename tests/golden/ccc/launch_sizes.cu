// Launches of awkward shape: one lane, a warp less or more a lane, the largest block, more threads than work, no work at all; and
// paths that every lane takes, or none.
//
// RUN: ccc --block 1024 --arch sm_75
// PTXAS: sm_75 sm_90 sm_100
//
// LAUNCH: strided 1 1 i32:100 i32[100]=rand:1 i32[100]=0
// LAUNCH: strided 1 31 i32:1000 i32[1000]=rand:2 i32[1000]=0
// LAUNCH: strided 1 32 i32:1000 i32[1000]=rand:3 i32[1000]=0
// LAUNCH: strided 3 33 i32:1000 i32[1000]=rand:4 i32[1000]=0
// LAUNCH: strided 2 256 i32:3000 i32[3000]=rand:5 i32[3000]=0
// LAUNCH: strided 2 1000 i32:3000 i32[3000]=rand:6 i32[3000]=0
// LAUNCH: strided 1 1024 i32:3000 i32[3000]=rand:7 i32[3000]=0
// LAUNCH: strided 5 64 i32:33 i32[33]=0 i32[33]=0
// LAUNCH: strided 4 1024 i32:1 i32[1]=0 i32[1]=0
// EXPECT: same-memory
//
// Nothing to do.
// LAUNCH: strided 2 64 i32:0 i32[1]=0 i32[1]=0
// LAUNCH: strided 2 64 i32:-5 i32[1]=0 i32[1]=0
// EXPECT: no-writes
//
// No lane takes the path, in any iteration; all lanes take it, in all.
// LAUNCH: strided 2 64 i32:1000 i32[1000]=1 i32[1000]=0
// EXPECT: no-writes
// LAUNCH: strided 2 64 i32:1000 i32[1000]=8 i32[1000]=0
// LAUNCH: strided 1 33 i32:66 i32[1000]=8 i32[1000]=0
// EXPECT: same-memory
//
// One lane of each warp takes it, always the same.
// LAUNCH: strided 1 32 i32:512 i32[512]=step:0.25 i32[512]=0
// EXPECT: same-memory

extern "C" __global__ void strided(int n, const int *key, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i + 1;
            for (int k = 0; k < (i & 15); ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}
