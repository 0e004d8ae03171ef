// The address of the flag to wait for is itself read from shared memory.
// HANGS: O3 G
// ENDS: 1 2 3 4
extern "C" __global__ void k(int *data, int n) {
    __shared__ int *volatile next[64];
    int i = threadIdx.x, *mine = data + blockIdx.x * 64;
    next[i] = mine + (i + 63) % 64;
    __syncthreads();
    int v = 1;
    if (i > 0) {
        while (*(volatile int *)next[i] == 0) {}
        v = *(volatile int *)next[i] + n - 3;
    }
    *(volatile int *)(mine + i) = v;
}
