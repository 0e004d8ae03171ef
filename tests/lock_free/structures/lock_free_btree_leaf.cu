// Unsorted leaf with a packed (count, frozen) word (BzTree / Ros style): reserve a record, publish, scan; splits are left to the caller.
struct Leaf { unsigned status; unsigned long long recs[30]; };       // status: frozen << 31 | count
__device__ int insert(Leaf *leaf, unsigned key, unsigned value) {
    unsigned s = *(volatile unsigned *)&leaf->status;
    for (;;) {
        if (s & 0x80000000u) return -1;
        unsigned c = s & 0xff;
        for (unsigned i = 0; i < c; ++i)
            if ((unsigned)*(volatile unsigned long long *)&leaf->recs[i] == key) return 0;
        if (c == 30) { atomicOr(&leaf->status, 0x80000000u); return -1; }
        unsigned seen = atomicCAS(&leaf->status, s, s + 1);
        if (seen == s) {
            atomicExch(&leaf->recs[c], (unsigned long long)value << 32 | key);
            return 1;
        }
        s = seen;
    }
}
__device__ Leaf *descend(Leaf *leaves, const unsigned *separators, int n, unsigned key) {
    int lo = 0, hi = n;
    while (lo < hi) { int mid = (lo + hi) / 2; if (separators[mid] <= key) lo = mid + 1; else hi = mid; }
    return leaves + lo;
}
// nothing: k
extern "C" __global__ void k(Leaf *leaves, const unsigned *sep, int m, const unsigned *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(descend(leaves, sep, m, keys[i]), keys[i], i);
}
