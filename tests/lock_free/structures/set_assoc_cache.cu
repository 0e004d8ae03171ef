// Set associative cache with LRU stamps (HugeCTR style without the set lock): lookup, else replace the oldest way by CAS.
typedef unsigned long long u64;     // stamp 24 | key 32 | value 8
#define WAYS 8
__device__ unsigned lookup(u64 *set, unsigned key, unsigned now, unsigned fill) {
    for (int tries = 0;; ++tries) {
        u64 oldest = ~0ull; int way = 0; bool retry = false;
        for (int j = 0; j < WAYS; ++j) {
            u64 e = *(volatile u64 *)&set[j];
            if ((unsigned)(e >> 8) == key) {
                u64 fresh = (u64)(now & 0xffffff) << 40 | (e & 0xffffffffffull);
                if (e == fresh || atomicCAS(&set[j], e, fresh) == e) return e & 0xff;
                retry = true;
                break;
            }
            if (e < oldest) { oldest = e; way = j; }
        }
        if (retry) continue;
        if (atomicCAS(&set[way], oldest, (u64)(now & 0xffffff) << 40 | (u64)key << 8 | (fill & 0xff)) == oldest) return fill & 0xff;
    }
}
// nothing: k
extern "C" __global__ void k(u64 *cache, unsigned sets, const unsigned *keys, unsigned *clock_, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], now = atomicAdd(clock_, 1);
    out[i] = lookup(cache + key % sets * WAYS, key, now, key * 31);
}
