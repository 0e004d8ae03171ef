// A lock whose outcome is kept in shared memory, which the test of the loop reads: the loop waits for the lock, which is given back behind it.
//
// RUN: ssde
// REPORT: kernel count:
// REPORT: register $(=%ssde_\w+) .b32
// REPORT: loop from
// REPORT-SAME: p1 to p7 hold
// CHECK: atom.global.exch.b32
// PTXAS: sm_90

extern "C" __global__ void count(int *lock, int *sum) {
    __shared__ volatile int mine[64];
    mine[threadIdx.x] = 0;
    while (mine[threadIdx.x] == 0)
        if (atomicExch(lock, 1) == 0) mine[threadIdx.x] = 1;
    *(volatile int *)sum = *(volatile int *)sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}
