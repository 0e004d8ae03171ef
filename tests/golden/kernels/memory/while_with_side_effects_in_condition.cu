// Tasks are chains in a hash table: each step claims a slot by atomicCAS in the loop's condition.
//
// RUN: ccc --block 96
// LAUNCH: insert 2 96 i32:200 i32[200]=iota i32[512]=-1 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void insert(int n, const int *__restrict__ key, int *table, int *__restrict__ ok) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned slot = 2u * key[i] & 511u;
        int tries = 0;
//#CCC while
        while (atomicCAS(&table[slot], -1, key[i]) != -1) { slot = (slot + 1) & 511u; if (++tries > 600) break; }
        ok[i] = tries < 600;
    }
}
