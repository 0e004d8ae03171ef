// Each lane walks a linked list that grows: it waits at a node until the next node has been linked.
// HANGS: O3 G
// ENDS: 0 1 3 6 10 15
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int next[64];
    int i = threadIdx.x;
    next[i] = -1;
    __syncthreads();
    int sum = 0, at = 0;
    while (at != i) {
        int to;
        while ((to = next[at]) < 0) {}
        at = to;
        sum += at;
    }
    if (i < 63) next[i] = i + n - 3;
    data[blockIdx.x * 64 + i] = sum;
}
