// Lock-free trees, priority queues, union-find and graphs.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned child_of[1024][2], node_key[1024];
__device__ unsigned leaf_child[2048][2], leaf_key[2048], leaf_fresh = 2;
__device__ unsigned ellen_update[1024], ellen_child[1024][2], ellen_key[1024];
__device__ unsigned trie_child[512][4], trie_fresh, radix_table[256];
__device__ unsigned heap_slots[1024], heap_size, bucket_top[64], bucket_items[64][64], bucket_lowest;
__device__ unsigned parent1[256], parent2[256], parent3[256], parent4[256], parent5[256], rank_word[256];
__device__ unsigned level_of[256] = {0}, frontier[1024], frontier_size, distance_of[256], label_of[256], colour_of[256], cheapest_lock[64];
__device__ Word cheapest_edge[64], parent_rank[256];
__device__ unsigned proposal[64], octree_child[1024][2], octree_fresh, segment_tree[128], fenwick[129], tournament[128], balancer[8];

__device__ unsigned load(unsigned *word) { return *(volatile unsigned *)word; }

// nothing: trie_insert
// Trie with four children: eight levels, a missing child is put in by compare and swap.
extern "C" __global__ void trie_insert(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned key = c[t] & 255, at = 0;
    for (int level = 0; level < 4; ++level) {
        unsigned *link = &trie_child[at][key >> 2 * level & 3], next = load(link);
        if (next == 0) {
            unsigned fresh = atomicAdd(&trie_fresh, 1) + 1;
            next = atomicCAS(link, 0, fresh);
            if (next == 0) next = fresh;
        }
        at = next & 511;
    }
    atomicAdd(b, 1);
}

// nothing: bucket_queue_take
// Priority queue of 64 buckets: the scan begins at a hint and takes from the first bucket that has an item.
extern "C" __global__ void bucket_queue_take(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < n) atomicAdd(&bucket_top[c[t] & 63], 1);
    __syncthreads();
    if (t >= n) return;
    for (unsigned bucket = 0; bucket < 64; ++bucket) {
        unsigned top = load(&bucket_top[bucket]);
        bool got = false;
        while (top > 0) {
            unsigned seen = atomicCAS(&bucket_top[bucket], top, top - 1);
            if (seen == top) {
                got = true;
                break;
            }
            top = seen;
        }
        if (got) {
            atomicAdd(b, 1);
            break;
        }
    }
}

// nothing: frontier_push
// Breadth-first search: a vertex is claimed by compare and swap of its level, and put at the end of the frontier.
extern "C" __global__ void frontier_push(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    for (int edge = 0; edge < 4; ++edge) {
        unsigned to = c[4 * t + edge] & 255;
        if (load(&level_of[to]) == 0 && atomicCAS(&level_of[to], 0, 1) == 0) frontier[atomicAdd(&frontier_size, 1)] = to;
    }
    atomicAdd(b, 1);
}

// nothing: cheapest_edges
// Boruvka's step: the cheapest edge of each component by packed atomicMin, then a compare and swap that hooks it.
extern "C" __global__ void cheapest_edges(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < 64) cheapest_edge[t] = ~0ull;
    __syncthreads();
    if (t >= n) return;
    Word mine = (Word)c[t] << 32 | t, old = *(volatile Word *)&cheapest_edge[t & 7];
    while (mine < old) {
        Word seen = atomicCAS(&cheapest_edge[t & 7], old, mine);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: stable_marriage
// Proposals: who is refused or put out proposes to the next one on the list, 64 times at most.
extern "C" __global__ void stable_marriage(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned suitor = t + 1, choice = t, tries = 0;
    while (suitor != 0 && tries < 4096) {
        unsigned place = choice & 63, held = load(&proposal[place]);
        if (held == 0 || suitor < held) {
            if (atomicCAS(&proposal[place], held, suitor) != held) continue;
            suitor = held;
        }
        ++choice;
        ++tries;
    }
    atomicAdd(b, 1);
}

// nothing: fenwick_sums
// Binary indexed tree: additions on the way up, then a sum that clears the lowest bit of the index.
extern "C" __global__ void fenwick_sums(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    for (unsigned i = t + 1; i <= 128; i += i & (0u - i)) atomicAdd(&fenwick[i], 1);
    unsigned sum = 0;
    for (unsigned i = t + 1; i != 0; i &= i - 1) sum += load(&fenwick[i]);
    atomicAdd(b, sum > 0);
}
