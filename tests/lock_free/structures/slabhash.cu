// SlabHash (Ashkiani et al. 2018): warp-cooperative insert, one slab of 32 words a round.
#define EMPTY 0xffffffffffffffffull
typedef unsigned long long u64;
__device__ unsigned allocate(unsigned *cursor) {
    unsigned r = 0;
    if ((threadIdx.x & 31) == 0) r = atomicAdd(cursor, 1);
    return __shfl_sync(0xffffffffu, r, 0);
}
// nothing: insert
extern "C" __global__ void insert(unsigned *slabs, unsigned buckets, unsigned *cursor, const unsigned *keys, const unsigned *values, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    if (tid - lane >= n) return;
    bool to_insert = tid < n;
    unsigned key = to_insert ? keys[tid] : 0, value = to_insert ? values[tid] : 0;
    unsigned bucket = key % buckets, next = 0, last = 0;
    bool fresh = true;
    while ((last = __ballot_sync(0xffffffffu, to_insert)) != 0) {
        int src = __ffs(last) - 1;
        unsigned src_bucket = __shfl_sync(0xffffffffu, bucket, src);
        unsigned slab = fresh ? src_bucket : next;
        unsigned *word = slabs + slab * 32 + lane;
        unsigned data = *(volatile unsigned *)word;
        unsigned free_mask = __ballot_sync(0xffffffffu, data == 0xffffffffu) & 0x15555555u;
        if (free_mask == 0) {
            unsigned link = __shfl_sync(0xffffffffu, data, 31);
            if (link == 0xffffffffu) {
                unsigned made = allocate(cursor);
                if (lane == 31) {
                    unsigned seen = atomicCAS(word, 0xffffffffu, made);
                    link = seen == 0xffffffffu ? made : seen;
                }
                link = __shfl_sync(0xffffffffu, link, 31);
            }
            next = link;
            fresh = false;
        } else {
            int dst = __ffs(free_mask) - 1;
            if (lane == src) {
                u64 seen = atomicCAS((u64 *)(slabs + slab * 32 + dst), EMPTY, (u64)value << 32 | key);
                if (seen == EMPTY) to_insert = false;
            }
            unsigned still = __ballot_sync(0xffffffffu, to_insert);
            if (still != last) fresh = true;
        }
    }
}
// nothing: search
extern "C" __global__ void search(const unsigned *slabs, unsigned buckets, const unsigned *keys, unsigned *out, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    if (tid - lane >= n) return;
    bool todo = tid < n;
    unsigned key = todo ? keys[tid] : 0, bucket = key % buckets, queue, last = 0, next = 0;
    while ((queue = __ballot_sync(0xffffffffu, todo)) != 0) {
        int src = __ffs(queue) - 1;
        if (queue != last) next = __shfl_sync(0xffffffffu, bucket, src);
        unsigned wanted = __shfl_sync(0xffffffffu, key, src);
        unsigned data = slabs[next * 32 + lane];
        unsigned hit = __ballot_sync(0xffffffffu, data == wanted) & 0x15555555u;
        unsigned value = __shfl_sync(0xffffffffu, data, hit ? __ffs(hit) : 31);
        if (hit) {
            if (lane == src) { out[tid] = value; todo = false; }
        } else if (value == 0xffffffffu) {
            if (lane == src) { out[tid] = 0xffffffffu; todo = false; }
        } else next = value;
        last = queue;
    }
}
