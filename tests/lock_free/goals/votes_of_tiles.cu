// Lanes of a part of a warp that work together on what each of them brings, one after the other.

#define TILE 8

__device__ __forceinline__ unsigned tile() { return 0xffu << (threadIdx.x & 24); }
__device__ __forceinline__ unsigned of_tile(bool says) { return __ballot_sync(tile(), says) >> (threadIdx.x & 24); }
__device__ __forceinline__ int told(int what, int by) { return __shfl_sync(tile(), what, by, TILE); }
__device__ __forceinline__ int rank() { return threadIdx.x & (TILE - 1); }

// nothing: chain_of_tries
// Each try that fails counts, whatever the lanes tell each other.
extern "C" __global__ void chain_of_tries(unsigned *table, unsigned buckets, unsigned key, int most, int *fail) {
    int ok = 0;
    for (int chain = 0; chain < most && !ok;) {
        unsigned *slot = &table[key % buckets * TILE + rank()];
        int load = __popc(of_tile(*(volatile unsigned *)slot != 0));
        if (load != TILE) {
            if (rank() == load) ok = atomicCAS(slot, 0u, key) == 0;
            ok = told(ok, load);
            if (!ok) ++chain;
        } else {
            if (rank() == 0) key = atomicExch(slot, key);
            key = told(key, 0);
            ++chain;
        }
    }
    if (!ok) atomicAdd(fail, 1);
    table[0] = 0;
}
