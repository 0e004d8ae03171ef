// A wait within a wait: while the phase is wrong, a lane waits for the signal that the phase may change.
// HANGS: O3 G
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int phase, signal[64];
    int i = threadIdx.x;
    signal[i] = 0;
    if (i == 0) phase = 0;
    __syncthreads();
    while (phase < 64) {
        int p = phase;
        if (p == i) {
            signal[i] = 1;
            __threadfence_block();
            phase = i + 1;
        } else if (p < 64) {
            while (signal[p] == 0) {}
        }
    }
    data[blockIdx.x * 64 + i] = signal[i] + n - 4;
}
