// The path takes the lock of its bucket and the rest, in the same iteration, updates what it protects and gives it back.
//
// RUN: ccc --block 1
// LAUNCH: k 8 1 i32:200 i32[200]=below:4:1 i32[4]=0 i32[4]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ locks, int* __restrict__ sums) {
#CCC for
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        int v = kind[i];
#CCC if
        if (v > 0) {
            while (atomicCAS(&locks[v], 0, 1) != 0) {}
            __threadfence();
        }
        int x = ((volatile int*)sums)[v];
        for (int j = 0; j < (i & 7); ++j) asm volatile("" : "+r"(x));
        if (v > 0) {
            ((volatile int*)sums)[v] = x + i;
            __threadfence();
            atomicExch(&locks[v], 0);
        }
    }
}
