// Double hashing, 64-bit slots, runtime capacity (prime), bounded by the capacity.
typedef unsigned long long u64;
#define EMPTY 0xffffffffffffffffull
__device__ bool insert(u64 *slots, unsigned capacity, unsigned key, unsigned value) {
    unsigned at = key % capacity, step = 1 + key % (capacity - 1);
    u64 pair = (u64)value << 32 | key;
    for (unsigned i = 0; i < capacity; ++i) {
        u64 seen = *(volatile u64 *)&slots[at];
        if (seen == EMPTY) {
            u64 old = atomicCAS(&slots[at], EMPTY, pair);
            if (old == EMPTY) return true;
            seen = old;
        }
        if ((unsigned)seen == key) {
            while (atomicCAS(&slots[at], seen, pair) != seen) seen = *(volatile u64 *)&slots[at];
            return false;
        }
        at += step;
        if (at >= capacity) at -= capacity;
    }
    return false;
}
// nothing: k
extern "C" __global__ void k(u64 *slots, unsigned capacity, const unsigned *keys, const unsigned *values, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = insert(slots, capacity, keys[i], values[i]);
}
