// A lane stores a word of 64 bits, and its neighbour waits for the upper half of it as a word of 32 bits.
// HANGS: O3 G
// ENDS: 1 2 3 4 5
extern "C" __global__ void k(int *data, int n) {
    __shared__ unsigned long long word[64];
    volatile int *half = (volatile int *)word;
    int i = threadIdx.x, v = n - 3;
    word[i] = 0;
    __syncthreads();
    if (i > 0) { while ((v = half[2 * i - 1]) == 0) {} ++v; }
    *(volatile unsigned long long *)&word[i] = (unsigned long long)v << 32;
    data[blockIdx.x * 64 + i] = v;
}
