// Lamport's bakery for the first eight lanes of a block: each draws a number larger than all that it sees and waits for smaller ones.
// HANGS: O3 G
// ENDS: 32 32
extern "C" __global__ void k(int *data, int n) {
    __shared__ int choosing[8], number[8];
    int i = threadIdx.x;
    if (i < 8) { choosing[i] = 0; number[i] = 0; }
    __syncthreads();
    if (i >= 8) return;
    volatile int *count = data + blockIdx.x;
    for (int r = 0; r < n; ++r) {
        atomicExch(&choosing[i], 1);
        __threadfence();
        int most = 0;
        for (int j = 0; j < 8; ++j) most = max(most, atomicAdd(&number[j], 0));
        atomicExch(&number[i], most + 1);
        __threadfence();
        atomicExch(&choosing[i], 0);
        __threadfence();
        for (int j = 0; j < 8; ++j) {
            while (atomicAdd(&choosing[j], 0)) {}
            for (;;) {
                int other = atomicAdd(&number[j], 0);
                if (other == 0 || other > most + 1 || (other == most + 1 && j >= i)) break;
            }
        }
        *count = *count + 1;
        __threadfence();
        atomicExch(&number[i], 0);
    }
}
