// HASH: a table built by cuckoo hashing (D. Alcantara and others, "Building an Efficient Hash Table on the GPU", GPU Computing
// Gems Jade Edition, chapter 4). A pair goes where its first hash function says; what was there before moves on to where its
// next function says, until a place was empty. Most pairs find one at once, some push long chains.
//
// The path of a pair that pushed another one out is marked, with the whole of its chain. The paper collects a step of a chain at
// a time (Section 3.3), which needs a directive that does not exist yet.

#define EMPTY 0xffffffffffffffffull

__device__ __forceinline__ unsigned place(unsigned key, int function, unsigned slots)
{
    // Multiplicative hashing with a mixing step; the four multipliers are odd numbers without a pattern.
    unsigned multiplier = function == 0 ? 0x9e3779b1u : function == 1 ? 0x85ebca6bu : function == 2 ? 0xc2b2ae35u : 0x27d4eb2fu;
    unsigned mixed = (key ^ key >> 15) * multiplier;
    return __umulhi(mixed ^ mixed >> 13, slots);
}

extern "C" __global__ void hash(int pairs, unsigned slots, int longest, const unsigned long long *pair,
                                unsigned long long *table, unsigned *failures)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        unsigned long long moved = pair[i];
        unsigned at = place((unsigned)(moved >> 32), 0, slots);
        moved = atomicExch(&table[at], moved);
#CCC if
        if (moved != EMPTY) {
            int steps = 0;
            do {
                unsigned key = (unsigned)(moved >> 32);
                // The function behind the one that led here; the first one behind the last.
                unsigned second = place(key, 1, slots), third = place(key, 2, slots), fourth = place(key, 3, slots);
                unsigned from = at;
                at = place(key, 0, slots);
                if (from == third) at = fourth;
                if (from == second) at = third;
                if (from == place(key, 0, slots)) at = second;
                moved = atomicExch(&table[at], moved);
            } while (moved != EMPTY && ++steps < longest);
            if (moved != EMPTY) {
                atomicAdd(failures, 1u);
            }
        }
    }
}
