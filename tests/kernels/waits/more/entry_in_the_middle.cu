// A loop of gotos with two entries: even lanes enter before the wait, odd lanes behind it.
// HANGS: O3 G
// ENDS: 2 2 2 2
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int step[64];
    int i = threadIdx.x, s = 0;
    step[i] = 0;
    __syncthreads();
    if (i & 1) goto middle;
top:
    while (step[i ^ 1] <= s) {}
middle:
    ++s;
    __threadfence_block();
    step[i] = s;
    if (i & 1) { while (step[i ^ 1] < s) {} }
    if (s < n - 2) goto top_or_middle;
    data[blockIdx.x * 64 + i] = s;
    return;
top_or_middle:
    if (i & 1) goto middle;
    goto top;
}
