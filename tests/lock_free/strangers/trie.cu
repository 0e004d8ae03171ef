// Binary trie by the bits of the key, at most 8 levels; at each at most one CAS for a child, whose loser goes on with
// the winner's node.

// nothing: trie
extern "C" __global__ void trie(unsigned *kid, unsigned *bump, int *out)
{
    unsigned key = threadIdx.x * 53 & 255, n = 0, spare = 0;
    for (int b = 7; b >= 0; --b) {
        unsigned *l = &kid[2 * n + (key >> b & 1)], c = *(volatile unsigned *)l;
        while (c == 0) {
            if (!spare) spare = atomicAdd(bump, 1u);
            if (spare >= 500) { out[threadIdx.x] = -1; return; }
            c = atomicCAS(l, 0u, spare);
            if (c == 0) { c = spare; spare = 0; }
        }
        n = c;
    }
    out[threadIdx.x] = n > 0;
}
