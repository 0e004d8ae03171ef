// One lane writes two numbers under a sequence counter, all others read until they see a finished version.
// HANGS: O3 G
// ENDS: 0 15 15 15
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int seq, a, b;
    if (threadIdx.x == 0) { seq = 0; a = 0; b = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i <= n + 1; ++i) {
            seq = 2 * i - 1;
            __threadfence_block();
            a = i;
            b = 2 * i;
            __threadfence_block();
            seq = 2 * i;
        }
    } else {
        int s, sum;
        do {
            s = seq;
            __threadfence_block();
            sum = a + b;
            __threadfence_block();
        } while (s != 2 * (n + 1) || seq != s);
        data[blockIdx.x * 64 + threadIdx.x] = sum;
    }
}
