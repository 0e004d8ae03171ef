// Flags of 16 bits that are raised by compare and swap of 16 bits, from the last lane to the first.
// HANGS: O3 G
// ENDS: 67 66 65 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ unsigned short flag[64];
    int i = threadIdx.x;
    flag[i] = 0;
    __syncthreads();
    unsigned short v = n;
    if (i < 63) {
        unsigned short w;
        do w = atomicCAS(&flag[i + 1], (unsigned short)0, (unsigned short)0); while (w == 0);
        v = w + 1;
    }
    atomicCAS(&flag[i], (unsigned short)0, v);
    data[blockIdx.x * 64 + i] = v;
}
