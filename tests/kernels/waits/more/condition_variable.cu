// A condition variable by hand: waiters draw a ticket and sleep until it is called; a lane calls one ticket after it has woken.
// HANGS: O3 G
// ENDS: 63 63
extern "C" __global__ void k(int *data, int n) {
    __shared__ int tickets, called;
    if (threadIdx.x == 0) { tickets = 0; called = 0; }
    __syncthreads();
    if (threadIdx.x == 17) {
        while (atomicAdd(&tickets, 0) < 63) __nanosleep(n);
        atomicAdd(&called, 1);
    } else {
        int mine = atomicAdd(&tickets, 1), pause = 1;
        while (atomicAdd(&called, 0) <= mine) {
            __nanosleep(pause);
            if (pause < 64) pause *= 2;
        }
        atomicAdd(&data[blockIdx.x], 1);
        atomicAdd(&called, 1);
    }
}
