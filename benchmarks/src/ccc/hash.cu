// HASH: a table built by cuckoo hashing (D. Alcantara and others, "Building an Efficient Hash Table on the GPU", GPU Computing
// Gems Jade Edition, chapter 4). A pair goes where its first hash function says; what was there before moves on to where its
// next function says, until a place was empty. Most pairs find one at once, some push long chains.
//
// The loop that moves pairs on is marked: a step of it is collected at a time, as in the paper (Section 3.3), so that the chain of one
// pair is moved on by many lanes. A pair, its key and the slot that it was pushed out of travel, 16 bytes, of which the key
// follows from the pair.

#define EMPTY_KEY 0xffffffffu

__device__ __forceinline__ unsigned place(unsigned key, int function, unsigned slots)
{
    // Multiplicative hashing with a mixing step; the four multipliers are odd numbers without a pattern.
    unsigned multiplier = function == 0 ? 0x9e3779b1u : function == 1 ? 0x85ebca6bu : function == 2 ? 0xc2b2ae35u : 0x27d4eb2fu;
    unsigned mixed = (key ^ key >> 15) * multiplier;
    return __umulhi(mixed ^ mixed >> 13, slots);
}

// Where the function behind the one that led a pair to a slot puts it; the first one is behind the last.
__device__ __forceinline__ unsigned next_place(unsigned key, unsigned at, unsigned slots)
{
    unsigned next = at == place(key, 2, slots) ? place(key, 3, slots) : place(key, 0, slots);
    next = at == place(key, 1, slots) ? place(key, 2, slots) : next;
    return at == place(key, 0, slots) ? place(key, 1, slots) : next;
}

extern "C" __global__ void hash(int pairs, unsigned slots, const unsigned long long *pair, unsigned long long *table)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        unsigned long long moved = pair[i];
        unsigned at = place((unsigned)(moved >> 32), 0, slots);
        moved = atomicExch(&table[at], moved);
        unsigned key = (unsigned)(moved >> 32);
#CCC while
        while (key != EMPTY_KEY) {
            at = next_place(key, at, slots);
            moved = atomicExch(&table[at], moved);
            key = (unsigned)(moved >> 32);
        }
    }
}
