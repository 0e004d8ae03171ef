// Claims of slots in an open hash table: those that find their first slot taken go on looking.
//
// RUN: ccc --block 96
// LAUNCH: insert 2 96 i32:1000 u32[2048]=0 u32[1]=0
// EXPECT: same-memory
extern "C" __global__ void insert(int n, unsigned int *table, unsigned int *checksum) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int slot = (i * 2654435761u >> 25) * 16;
        unsigned int taken = atomicCAS(&table[slot], 0u, 1u);
        //#CCC if independent
        if (taken) {
            do {
                slot = (slot + 1) & 2047u;
            } while (atomicCAS(&table[slot], 0u, 1u));
        }
        atomicAdd(checksum, 1u);
    }
}
