// The lower half of each warp fills two buffers in turn, the upper half empties them; counters say which is full.
// HANGS: O3 G
// ENDS: 60 64 68 72
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int buffer[2][32], full[32], empty[32];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, s = w * 16 + lane % 16;
    if (lane < 16) { full[s] = 0; empty[s] = 0; }
    __syncthreads();
    if (lane < 16) {
        for (int i = 0; i < n; ++i) {
            while (i - empty[s] >= 2) {}
            buffer[i % 2][s] = 10 * i + s;
            __threadfence_block();
            full[s] = i + 1;
        }
    } else {
        int sum = 0;
        for (int i = 0; i < n; ++i) {
            while (full[s] <= i) {}
            __threadfence_block();
            sum += buffer[i % 2][s];
            empty[s] = i + 1;
        }
        data[blockIdx.x * 32 + s] = sum;
    }
}
