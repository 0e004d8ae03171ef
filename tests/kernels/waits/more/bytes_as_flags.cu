// Flags are bytes of a shared array; each lane waits for its right neighbour's byte.
// HANGS: O3 G
// ENDS: 64 63 62 61
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile unsigned char flag[64];
    int i = threadIdx.x;
    flag[i] = 0;
    __syncthreads();
    int v = 1;
    if (i != 63) {
        int w;
        do { w = flag[i + 1]; } while (w == 0);
        v = w + n - 3;
    }
    flag[i] = v;
    data[blockIdx.x * 64 + i] = v;
}
