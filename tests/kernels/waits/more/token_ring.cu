// A token goes round all threads of a block n times; who has it adds its number and passes it on.
// HANGS: O3 G
// ENDS: 256 256 8064 8064
extern "C" __global__ void k(int *data, int n) {
    volatile int *token = &data[blockIdx.x], *sum = &data[2 + blockIdx.x];
    for (int round = 0; round < n; ++round) {
        int turn = round * 64 + threadIdx.x;
        while (*token != turn) {}
        __threadfence();
        *sum = *sum + threadIdx.x;
        __threadfence();
        *token = turn + 1;
    }
}
