// A machine whose state is in shared memory: lane i does the step from state i to i + 1, whoever looks.
// ENDS: 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int state;
    if (threadIdx.x == 0) state = 0;
    __syncthreads();
    bool running = true;
    while (running) {
        int s = state;
        switch (s < 64 ? (s == threadIdx.x ? 1 : 0) : 2) {
            case 0: __threadfence_block(); break;
            case 1: state = s + 1; break;
            default: running = false;
        }
    }
    if (threadIdx.x == n) data[blockIdx.x] = state;
}
