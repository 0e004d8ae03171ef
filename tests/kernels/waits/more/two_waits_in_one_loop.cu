// Lanes go round a loop in which they wait for their left neighbour's step and for their right neighbour's last step.
// HANGS: O3 G
// ENDS: 6 6 6 6
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int step[66];
    int i = threadIdx.x + 1;
    step[i] = 0;
    if (i == 1) { step[0] = 1000; step[65] = 1000; }
    __syncthreads();
    for (int s = 1; s <= n + 2; ++s) {
        while (step[i - 1] < s) {}
        while (step[i + 1] < s - 1) {}
        __threadfence_block();
        step[i] = s;
    }
    data[blockIdx.x * 64 + threadIdx.x] = step[i];
}
