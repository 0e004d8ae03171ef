// The flag's address is computed from numbers: a permutation of 32 words behind the results.
// HANGS: O3 G
// ENDS: 4 5 6 7 8
extern "C" __global__ void k(int *data, int n) {
    int i = threadIdx.x;
    if (i >= 32) return;
    size_t base = (size_t)data + 4 * (64 + 32 * blockIdx.x);
    volatile int *mine = (volatile int *)(base + 4 * ((i * 7) & 31));
    volatile int *left = (volatile int *)(base + 4 * (((i + 31) * 7) & 31));
    int v = n;
    if (i > 0) { while (*left == 0) {} v = *left + 1; }
    *mine = v;
    if (blockIdx.x == 0) data[i] = v;
}
