// Hopscotch-like: claim a free slot in a bounded range by CAS, move it closer with bounded displacements.
#define H 32
#define RANGE 256
__device__ bool insert(unsigned *keys, unsigned *hop, unsigned mask, unsigned key) {
    unsigned home = key * 0x9e3779b1u & mask, free_at = home, dist = 0;
    for (; dist < RANGE; ++dist) {
        free_at = (home + dist) & mask;
        if (*(volatile unsigned *)&keys[free_at] == 0 && atomicCAS(&keys[free_at], 0u, 0xffffffffu) == 0) break;
    }
    if (dist == RANGE) return false;
    while (dist >= H) {
        bool moved = false;
        for (unsigned back = H - 1; back > 0; --back) {
            unsigned from_home = (free_at - back) & mask;
            unsigned bits = *(volatile unsigned *)&hop[from_home];
            int first = __ffs(bits) - 1;
            if (first < 0 || first >= (int)back) continue;
            unsigned victim = (from_home + first) & mask;
            unsigned fresh = (bits & ~(1u << first)) | 1u << back;
            if (atomicCAS(&hop[from_home], bits, fresh) != bits) continue;
            unsigned moved_key = atomicExch(&keys[victim], 0xffffffffu);
            atomicExch(&keys[free_at], moved_key);
            free_at = victim;
            dist -= back - first;
            moved = true;
            break;
        }
        if (!moved) { atomicExch(&keys[free_at], 0u); return false; }
    }
    atomicExch(&keys[free_at], key);
    atomicOr(&hop[home], 1u << dist);
    return true;
}
// nothing: k
extern "C" __global__ void k(unsigned *keys, unsigned *hop, unsigned mask, const unsigned *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(keys, hop, mask, in[i]);
}
