// Chunks of a warp are skipped by a vote of all lanes; the rare branch comes behind the vote.
//
// RUN: ccc --block 96
// LAUNCH: chunks 2 96 i32:1000 u32[1024]=rand:16 u32[1024]=0 u32[6]=0
// LAUNCH: chunks 1 64 i32:77 u32[1024]=rand:16 u32[1024]=0 u32[6]=0
// EXPECT: same-memory
extern "C" __global__ void chunks(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out, unsigned int *__restrict__ skipped) {
    if (blockDim.x & 31) return;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int rounds = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    //#CCC for
    for (int r = 0; r < rounds; ++r) {
        int i = r * gridDim.x * blockDim.x + t;
        bool want = i < n && in[i] % 29 == 0;
        if (!__any_sync(0xffffffffu, want)) {
            if ((threadIdx.x & 31) == 0) atomicAdd(&skipped[t / 32], 1u);
            continue;
        }
        //#CCC if
        if (want) {
            unsigned int x = in[i];
            for (int k = 0; k < 7; ++k) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            out[i] = x;
        }
    }
}
