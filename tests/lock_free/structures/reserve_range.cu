// Reservation of a range in a bounded buffer: CAS only if it fits; and a packed (count, sum) variant.
__device__ int reserve(unsigned *cursor, unsigned capacity, unsigned want) {
    unsigned at = *(volatile unsigned *)cursor;
    while (at + want <= capacity) {
        unsigned seen = atomicCAS(cursor, at, at + want);
        if (seen == at) return at;
        at = seen;
    }
    return -1;
}
__device__ bool spend(unsigned long long *budget, unsigned cost) {
    for (;;) {
        unsigned long long b = __ldcg(budget);
        if ((unsigned)b < cost) return false;
        unsigned long long after = ((b >> 32) + 1) << 32 | ((unsigned)b - cost);
        if (atomicCAS(budget, b, after) == b) return true;
    }
}
// nothing: k
extern "C" __global__ void k(unsigned *cursor, unsigned capacity, unsigned long long *budget, const unsigned *want, unsigned *buffer, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !spend(budget, want[i])) return;
    int at = reserve(cursor, capacity, want[i]);
    if (at >= 0) for (unsigned j = 0; j < want[i]; ++j) buffer[at + j] = i;
}
