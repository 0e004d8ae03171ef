// Nosferalatu's SimpleGPUHashTable: linear probing, power of two, insert / lookup / delete.
struct KeyValue { unsigned key, value; };
const unsigned kCapacity = 128 * 1024 * 1024;
const unsigned kEmpty = 0xffffffff;
__device__ unsigned hash(unsigned k) {
    k ^= k >> 16; k *= 0x85ebca6b; k ^= k >> 13; k *= 0xc2b2ae35; k ^= k >> 16;
    return k & (kCapacity - 1);
}
// nothing: insert
extern "C" __global__ void insert(KeyValue *hashtable, const KeyValue *kvs, unsigned numkvs) {
    unsigned threadid = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadid < numkvs) {
        unsigned key = kvs[threadid].key, value = kvs[threadid].value;
        unsigned slot = hash(key);
        for (unsigned tried = 0; tried < kCapacity; ++tried) {
            unsigned prev = atomicCAS(&hashtable[slot].key, kEmpty, key);
            if (prev == kEmpty || prev == key) {
                hashtable[slot].value = value;
                return;
            }
            slot = (slot + 1) & (kCapacity - 1);
        }
    }
}
// nothing: lookup
extern "C" __global__ void lookup(KeyValue *hashtable, KeyValue *kvs, unsigned numkvs) {
    unsigned threadid = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadid < numkvs) {
        unsigned key = kvs[threadid].key, slot = hash(key);
        for (unsigned tried = 0; tried < kCapacity; ++tried) {
            unsigned at = hashtable[slot].key;
            if (at == key) { kvs[threadid].value = hashtable[slot].value; return; }
            if (at == kEmpty) { kvs[threadid].value = kEmpty; return; }
            slot = (slot + 1) & (kCapacity - 1);
        }
    }
}
// nothing: erase
extern "C" __global__ void erase(KeyValue *hashtable, const KeyValue *kvs, unsigned numkvs) {
    unsigned threadid = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadid < numkvs) {
        unsigned key = kvs[threadid].key, slot = hash(key);
        for (unsigned tried = 0; tried < kCapacity; ++tried) {
            unsigned at = hashtable[slot].key;
            if (at == key) { hashtable[slot].value = kEmpty; return; }
            if (at == kEmpty) return;
            slot = (slot + 1) & (kCapacity - 1);
        }
    }
}
