// Each lane sets its bit and waits until all bits of the warp's word are set, after it has waited for the bit before its own.
// HANGS: O3 G
// ENDS: -1 -1 -1 -1
extern "C" __global__ void k(int *data, int n) {
    int lane = threadIdx.x % 32;
    unsigned *word = (unsigned *)data + blockIdx.x * 2 + threadIdx.x / 32;
    if (lane > 0) {
        while ((atomicOr(word, 0u) >> (lane - 1) & 1) == 0) {}
    }
    atomicOr(word, 1u << lane);
    while (atomicAnd(word, 0xffffffffu) != 0xffffffffu) {}
    if (n < 0) data[lane + 8] = 1;
}
