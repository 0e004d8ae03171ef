// HASH: a table built by cuckoo hashing (D. Alcantara and others, "Building an Efficient Hash Table on the GPU", GPU Computing
// Gems Jade Edition, chapter 4). A pair goes where its first hash function says; what was there before moves on to where its
// next function says, until a place was empty. Most pairs find one at once, some push long chains.
//
// The loop that moves pairs on is marked: a step of it is collected at a time, as in the paper (Section 3.3), so that the chain of one
// pair is moved on by many lanes.

#define EMPTY 0xffffffffffffffffull

__device__ __forceinline__ unsigned place(unsigned key, int function, unsigned slots)
{
    // Multiplicative hashing with a mixing step; the four multipliers are odd numbers without a pattern.
    unsigned multiplier = function == 0 ? 0x9e3779b1u : function == 1 ? 0x85ebca6bu : function == 2 ? 0xc2b2ae35u : 0x27d4eb2fu;
    unsigned mixed = (key ^ key >> 15) * multiplier;
    return __umulhi(mixed ^ mixed >> 13, slots);
}

// The function behind the one that led a pair to a slot; the first one behind the last.
__device__ __forceinline__ unsigned behind(unsigned key, unsigned at, unsigned slots)
{
    unsigned next = at == place(key, 2, slots) ? 3 : 0;
    next = at == place(key, 1, slots) ? 2 : next;
    return at == place(key, 0, slots) ? 1 : next;
}

extern "C" __global__ void hash(int pairs, unsigned slots, int longest, const unsigned long long *pair,
                                unsigned long long *table, unsigned *failures)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        unsigned long long moved = pair[i];
        unsigned at = place((unsigned)(moved >> 32), 0, slots);
        moved = atomicExch(&table[at], moved);
        // Four times the steps so far, and the function that is next: with the pair, one word travels.
        unsigned turn = behind((unsigned)(moved >> 32), at, slots);
#CCC while
        while (moved != EMPTY && turn < 4 * longest) {
            at = place((unsigned)(moved >> 32), turn & 3, slots);
            moved = atomicExch(&table[at], moved);
            turn = (turn & ~3u) + 4 + behind((unsigned)(moved >> 32), at, slots);
            // Asked here, it is one step of many that finds a pair without a place, and nothing is left to do behind the last one.
            if (moved != EMPTY && turn >= 4 * longest) {
                atomicAdd(failures, 1u);
            }
        }
    }
}
