// The flag is the upper half of a 64-bit word and the value its lower half; the word is swapped in at once.
// HANGS: O3 G
// ENDS: 4 6 9 13 18
extern "C" __global__ void k(int *data, int n) {
    __shared__ unsigned long long word[64];
    int i = threadIdx.x;
    word[i] = 0;
    __syncthreads();
    unsigned v = n;
    if (i > 0) {
        unsigned long long w;
        do w = atomicCAS(&word[i - 1], 0ull, 0ull); while (!(w >> 32));
        v = (unsigned)w + i + 1;
    }
    atomicExch(&word[i], 1ull << 32 | v);
    data[blockIdx.x * 64 + i] = v;
}
