// Lanes wait for any change of a word that they read before: each change wakes the lane whose turn it is.
// HANGS: O3 G
// ENDS: 63 63
extern "C" __global__ void k(int *data, int n) {
    int *word = data + blockIdx.x, i = threadIdx.x;
    int old = atomicAdd(word, 0);
    while (old != i) {
        int now;
        while ((now = atomicAdd(word, 0)) == old) {}
        old = now;
    }
    if (i < 63) atomicAdd(word, n - 3);
}
