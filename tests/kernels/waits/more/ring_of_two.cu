// Even lanes produce and odd lanes consume numbers through a ring of two slots for each pair.
// HANGS: O3 G
// ENDS: 0 36 0 52 0 68
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int slot[32][2], head[32], tail[32];
    int pair = threadIdx.x / 2;
    if (threadIdx.x % 2 == 0) { head[pair] = 0; tail[pair] = 0; }
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        for (int i = 0; i < 2 * n; ++i) {
            while (i - tail[pair] == 2) {}
            slot[pair][i & 1] = i + 1 + 2 * pair;
            __threadfence_block();
            head[pair] = i + 1;
        }
    } else {
        int sum = 0;
        for (int i = 0; i < 2 * n; ++i) {
            while (head[pair] <= i) {}
            __threadfence_block();
            sum += slot[pair][i & 1];
            __threadfence_block();
            tail[pair] = i + 1;
        }
        data[blockIdx.x * 64 + threadIdx.x] = sum;
    }
}
