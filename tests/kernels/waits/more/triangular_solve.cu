// A sparse triangular solve: each row waits for the rows that it depends on, which have ready flags.
// HANGS: O3 G
// ENDS: 1 2 4 7 13 23 41 72
__device__ int ready[128], x[128];
extern "C" __global__ void k(int *data, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 1;
    for (int d = 1; d <= n; ++d) {
        int column = row - d;
        if (d == 3) continue;
        if (column < 0) break;
        while (((volatile int *)ready)[column] == 0) {}
        __threadfence();
        sum += ((volatile int *)x)[column];
        sum &= 0xffff;
    }
    x[row] = sum;
    __threadfence();
    ((volatile int *)ready)[row] = 1;
    data[row] = sum;
}
