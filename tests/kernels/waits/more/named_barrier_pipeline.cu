// The first warp of a block hands numbers to the second by named barriers; nothing spins.
// ENDS: 0 4 8 12 16
extern "C" __global__ void k(int *data, int n) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            buffer[lane] = lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[lane];
        }
    }
    if (threadIdx.x >= 32) data[blockIdx.x * 32 + lane] = sum;
}
