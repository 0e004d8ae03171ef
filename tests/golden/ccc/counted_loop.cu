// A loop without a guard: the compiler knows how many iterations it has. Whole warps reach it, and nobody is parked.
//
// RUN: ccc --block 256
// REPORT: region line 16 in loop line 14: context
// PTXAS: sm_90
// LAUNCH: sixteen 2 256 i32[8192]=rand:1 i32[8192]=0
// LAUNCH: sixteen 1 1 i32[8192]=0 i32[8192]=0
// EXPECT: same-memory
// LAUNCH: sixteen 1 64 i32[8192]=rand:2 i32[8192]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void sixteen(const int *key, int *out) {
#CCC for const
    for (int k = 0; k < 16; ++k) {
#CCC if
        if ((key[(blockIdx.x * blockDim.x + threadIdx.x) * 16 + k] & 7) == 0) {
            int x = k;
            for (int j = 0; j < 30; ++j) x = x * 3 + j;
            out[(blockIdx.x * blockDim.x + threadIdx.x) * 16 + k] = x;
        }
    }
}
