// A lock is taken before the path and given back behind it; the path updates what the lock protects.
//
// RUN: ccc --block 64
// REFUSED: line 11: a loop with the atomic on `locks` at line 11 waits for the atomic on `locks` at line 18 of the marked path, which would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ locks, int* __restrict__ sums) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int v = kind[i];
        bool done = false;
        while (!done) {
            if (atomicCAS(&locks[v], 0, 1) == 0) {
                __threadfence();
#CCC if
                if (i % 3 == 1) {
                    sums[v] += i;
                }
                __threadfence();
                atomicExch(&locks[v], 0);
                done = true;
            }
        }
    }
}
