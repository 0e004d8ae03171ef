// Lamport's bakery for eight threads of each block: numbers are drawn, and the smallest one goes first.
// HANGS: O3 G
// ENDS: 16 16

extern "C" __global__ void k(int *data, int n)
{
    __shared__ volatile int choosing[8];
    __shared__ volatile int number[8];
    int me = threadIdx.x;
    if (me < 8) {
        choosing[me] = 0;
        number[me] = 0;
    }
    __syncthreads();
    if (me < 8) {
        volatile int *total = data + blockIdx.x;
        for (int i = 0; i < n / 2; ++i) {
            choosing[me] = 1;
            __threadfence_block();
            int most = 0;
            for (int j = 0; j < 8; ++j)
                most = max(most, number[j]);
            number[me] = most + 1;
            __threadfence_block();
            choosing[me] = 0;
            __threadfence_block();
            for (int j = 0; j < 8; ++j) {
                while (choosing[j])
                    ;
                while (number[j] != 0 && (number[j] < number[me] || (number[j] == number[me] && j < me)))
                    ;
            }
            __threadfence_block();
            *total = *total + 1;
            __threadfence_block();
            number[me] = 0;
            __threadfence_block();
        }
    }
}
