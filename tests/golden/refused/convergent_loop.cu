// A shuffle in the loop but outside the path: lanes that left the loop would be waited for, or waited with, elsewhere. Where all lanes run
// the same iterations it does no harm.
//
// RUN: ccc --block 64
// REFUSED: line 13: would wait for lanes
// PTXAS: sm_90
// LAUNCH: uniform 1 64 i32:32 i32[2048]=rand:1 i32[2048]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void differing(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n + key[threadIdx.x]; i += blockDim.x) {
        int other = __shfl_xor_sync(~0u, i, 1);
#CCC if
        if ((key[i] & 7) == 0) atomicAdd(&out[i], other);
    }
}

extern "C" __global__ void uniform(int n, const int *key, int *out) {
#CCC for
    for (int round = 0; round < n; ++round) {
        int mine = key[round * 64 + threadIdx.x];
        int other = __shfl_xor_sync(~0u, mine, 1);
#CCC if
        if ((mine & 7) == 0) {
            int x = other;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[round * 64 + threadIdx.x] = x;
        }
    }
}
