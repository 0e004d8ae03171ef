// A ticket lock: the iteration waits for its turn before the path, which passes the turn on.
//
// RUN: ccc --block 1
// REFUSED: line 10: a loop with the load of `turn` at line 10 waits for the store to `turn` at line 15 of the marked path, which would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ turn, int* __restrict__ sums) {
#CCC for
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        int v = kind[i];
        int mine = atomicAdd(&turn[2 * v], 1);
        while (*(volatile int*)&turn[2 * v + 1] != mine) {}
        __threadfence();
        *(volatile int*)&sums[v] += i;
        __threadfence();
#CCC if
        if (i % 3) { *(volatile int*)&turn[2 * v + 1] = mine + 1; }
        else atomicAdd(&turn[2 * v + 1], 1);
    }
}
