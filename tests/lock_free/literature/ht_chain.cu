// Chained tables and ordered lists used as hash buckets. Nodes are 32-bit indices, 0 = nil.
#include <cuda/atomic>
#include <cstdint>

struct ChainNode { uint32_t key; uint32_t val; unsigned next; };

__device__ unsigned  g_poolTop = 1;
__device__ ChainNode g_pool[1 << 18];
__device__ unsigned  g_heads[1 << 14];

static __device__ inline unsigned h14(uint32_t k) { return (k * 2654435761u) >> 18; }

// nothing: chain_push_front
// chained multimap, push in front by CAS of the head (Treiber push per bucket)
extern "C" __global__ void chain_push_front(const uint32_t* keys, const uint32_t* vals, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned me = atomicAdd(&g_poolTop, 1u);
        if (me >= (1u << 18)) return;
        g_pool[me].key = keys[i];
        g_pool[me].val = vals[i];
        unsigned* head = &g_heads[h14(keys[i])];
        unsigned old = *head, assumed;
        do {
            assumed = old;
            g_pool[me].next = assumed;
            __threadfence();
            old = atomicCAS(head, assumed, me);
        } while (old != assumed);
    }
}

// nothing: chain_count_multi
// multiset count: walk of a bucket's chain, push-front table
extern "C" __global__ void chain_count_multi(const uint32_t* q, int n, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = 0;
    for (unsigned p = *(volatile unsigned*)&g_heads[h14(q[i])]; p != 0; p = g_pool[p].next) c += g_pool[p].key == q[i];
    count[i] = c;
}

struct DevNode { uint64_t key; DevNode* next; };

// nothing: chain_insert_unique
// chained set, insert-if-absent: after a failed CAS only the new prefix of the chain is scanned again; libcu++ pointers
extern "C" __global__ void chain_insert_unique(DevNode** heads, unsigned nb, DevNode* mine, const uint64_t* keys, int n, bool* added)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    DevNode* nd = mine + i;
    nd->key = keys[i];
    cuda::atomic_ref<DevNode*, cuda::thread_scope_device> head(heads[(keys[i] * 0x9E3779B97F4A7C15ull >> 32) % nb]);
    DevNode* first = head.load(cuda::std::memory_order_acquire);
    DevNode* scannedTo = nullptr;
    bool ok = false;
    while (true) {
        bool dup = false;
        for (DevNode* p = first; p != scannedTo; p = p->next)
            if (p->key == keys[i]) { dup = true; break; }
        if (dup) break;
        scannedTo = first;
        nd->next = first;
        if (head.compare_exchange_weak(first, nd, cuda::std::memory_order_acq_rel, cuda::std::memory_order_acquire)) { ok = true; break; }
    }
    added[i] = ok;
}

// ---- Harris/Michael ordered list; next word = index << 1 | deleted ----
struct OrdList {
    volatile uint32_t* key;
    unsigned* next;

    __device__ unsigned ld(unsigned i) const { return *(volatile unsigned*)&next[i]; }

    // finds first node with key >= k; unlinks deleted nodes on the way
    __device__ void search(unsigned start, uint32_t k, unsigned& pred, unsigned& cur) const
    {
    again:
        pred = start;
        cur = ld(pred) >> 1;
        while (cur != 0) {
            unsigned nx = ld(cur);
            if (nx & 1u) {
                if (atomicCAS(&next[pred], cur << 1, nx & ~1u) != (cur << 1)) goto again;
                cur = nx >> 1;
                continue;
            }
            if (key[cur] >= k) return;
            pred = cur;
            cur = nx >> 1;
        }
    }
    // returns the node that holds k afterwards
    __device__ unsigned insert(unsigned start, uint32_t k, unsigned node) const
    {
        key[node] = k;
        while (true) {
            unsigned p, c;
            search(start, k, p, c);
            if (c != 0 && key[c] == k) return c;
            *(volatile unsigned*)&next[node] = c << 1;
            __threadfence();
            if (atomicCAS(&next[p], c << 1, node << 1) == (c << 1)) return node;
        }
    }
    __device__ bool erase(unsigned start, uint32_t k) const
    {
        while (true) {
            unsigned p, c;
            search(start, k, p, c);
            if (c == 0 || key[c] != k) return false;
            unsigned nx = ld(c);
            if (nx & 1u) continue;
            if (atomicCAS(&next[c], nx, nx | 1u) != nx) continue;
            atomicCAS(&next[p], c << 1, nx);      // best effort; search() cleans up otherwise
            return true;
        }
    }
};

// assumed: harris_bucket_ops
// hash table of ordered lists with logical deletion, mixed insert / erase stream (Harris 2001, Michael 2002)
extern "C" __global__ void harris_bucket_ops(OrdList l, unsigned nBuckets, const int* op, const uint32_t* keys, int n, int* result)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned head = 1 + keys[i] % nBuckets;          // nodes 1..nBuckets are heads
        unsigned node = 1 + nBuckets + i;
        result[i] = op[i] ? (l.insert(head, keys[i], node) == node) : l.erase(head, keys[i]);
    }
}

// assumed: split_ordered_insert
// split-ordered list: bucket dummies created lazily from the parent bucket, bit-reversed keys (Shalev/Shavit 2006)
extern "C" __global__ void split_ordered_insert(OrdList l, unsigned* bucket, unsigned nBuckets, unsigned* top,
                                                unsigned cap, const uint32_t* keys, int n, int* added)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t k = keys[i] & 0x7fffffffu;
    unsigned b = k & (nBuckets - 1);
    unsigned start = 1;                                   // dummy of bucket 0
    added[i] = -1;
    for (unsigned bit = 1; bit != 0 && bit <= b; bit <<= 1) {
        if (!(b & bit)) continue;
        unsigned sub = b & (2 * bit - 1);
        unsigned d = *(volatile unsigned*)&bucket[sub];
        if (d == 0) {
            unsigned node = atomicAdd(top, 1u);
            if (node >= cap) return;
            d = l.insert(start, __brev(sub), node);       // even: dummy
            *(volatile unsigned*)&bucket[sub] = d;        // idempotent
        }
        start = d;
    }
    unsigned node = atomicAdd(top, 1u);
    if (node >= cap) return;
    added[i] = l.insert(start, __brev(k) | 1u, node) == node;
}

// found: chain_insert_bucket_lock
// chained set with a lock per bucket, sentinel "-1" swapped into the head while a thread works on the chain
extern "C" __global__ void chain_insert_bucket_lock(int* heads, int nb, ChainNode* nodes, const uint32_t* keys, int n, int* added)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* head = &heads[keys[i] % nb];
    int first;
    bool done = false;
    do {
        first = atomicExch(head, -1);                     // -1: somebody else has the chain
        if (first != -1) {
            int p = first;
            while (p != 0 && nodes[p].key != keys[i]) p = (int)((volatile ChainNode*)nodes)[p].next;
            if (p == 0) {
                nodes[i + 1].key = keys[i];
                ((volatile ChainNode*)nodes)[i + 1].next = (unsigned)first;
                first = i + 1;
            }
            added[i] = p == 0;
            __threadfence();
            atomicExch(head, first);
            done = true;
        }
    } while (!done);
}
