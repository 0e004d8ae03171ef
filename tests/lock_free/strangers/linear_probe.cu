// At most `capacity` probes; the CAS is done once per slot.

// nothing: insert
__device__ unsigned mix(unsigned h) { h ^= h >> 16; h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; return h ^ (h >> 16); }
extern "C" __global__ void insert(unsigned long long *tab, unsigned cap, const int *keys, int *where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long kv = ((unsigned long long)(keys[i] + 1) << 32) | i;
    unsigned s = mix(keys[i]) % cap;
    int at = -1;
    for (unsigned n = 0; n < cap; n++) {
        unsigned long long old = atomicCAS(&tab[s], 0ull, kv);
        if (old == 0 || (old >> 32) == (kv >> 32)) { at = s; break; }
        if (++s == cap) s = 0;
    }
    where[i] = at;
}
