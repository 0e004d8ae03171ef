// Lock-free allocators, work-stealing deques, multi-word swaps, snapshots and counters.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned map_words[8], map_hint, slab_maps[8][4], slab_current, buddy_level[7][64], buddy_bits[4], bump_top, list_top, list_next[256], scatter[128];
__device__ Word list_head_tagged;
__device__ unsigned deque_top, deque_bottom, deque_items[256], steal_tops[2], steal_bottoms[2], work_left = 200, persistent_next, range_ends[64];
__device__ Word range_word[64];
__device__ unsigned mcas_status[256], mcas_words[16], rdcss_word, rdcss_condition, link_word, link_reserved[64];
__device__ Word descriptor_of[256], versioned;
__device__ unsigned registers_of[8], snapshot_version[8], published, buffers[4][4], current_buffer, hazard_epoch, epoch_of_thread[64], retired_head, retired_next[128];
__device__ unsigned sharded[32], bloom[64], count_min[4][64], sketch_max[16], sampled[8], log_place, log_lines[64], balancer_toggle[8], network_out[8], rename_slot[64];
__device__ unsigned clock_hand, clock_reference[32], left_reader[2], left_side, splitter_x[64], splitter_y[64];
__device__ unsigned claim_state[64], announce[64], done_count, cow_root, cow_versions[512], cow_fresh, queue_phase[8];

__device__ unsigned load(unsigned *word) { return *(volatile unsigned *)word; }

// nothing: bitmap_allocate_free
// Bit map of one word: claimed by compare and swap, given back at the end; a full map is an error and not waited for.
extern "C" __global__ void bitmap_allocate_free(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned used = load(&map_hint), bit = 0;
    while (used != 0xffffffffu) {
        bit = ~used & (used + 1);
        unsigned seen = atomicCAS(&map_hint, used, used | bit);
        if (seen == used) break;
        used = seen;
        bit = 0;
    }
    atomicAdd(b, 1);
    if (bit != 0) atomicAnd(&map_hint, ~bit);
}

// nothing: scatter_allocate
// Allocator by hashing: places are tried in pseudo-random order, one exchange each.
extern "C" __global__ void scatter_allocate(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned place = t * 37 & 127, tries = 0;
    while (atomicExch(&scatter[place], 1) != 0 && ++tries < 128) place = (place * 5 + 1) & 127;
    if (tries < 128) atomicAdd(b, 1);
}

// nothing: buddy_allocate
// Buddy allocator: down from the root of an implicit tree; a node that is taken sends the search to its neighbour.
extern "C" __global__ void buddy_allocate(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned start = t * 29 & 63;
    for (unsigned i = 0; i < 64; ++i) {
        unsigned leaf = (start + i) & 63;
        if (atomicCAS(&buddy_level[6][leaf], 0, 1) != 0) continue;
        for (int level = 5; level >= 0; --level) {
            unsigned *node = &buddy_level[level][leaf >> (6 - level)], old = load(node), seen;
            while ((seen = atomicCAS(node, old, old + 1)) != old) old = seen;
        }
        atomicAdd(b, 1);
        break;
    }
}

// nothing: bump_allocate
// Bump allocator with an end: compare and swap as long as the block fits.
extern "C" __global__ void bump_allocate(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned size = (c[t] & 7) + 1, top = load(&bump_top);
    while (top + size <= 1000) {
        unsigned seen = atomicCAS(&bump_top, top, top + size);
        if (seen == top) {
            atomicAdd(b, 1);
            break;
        }
        top = seen;
    }
}

// nothing: deque_steal
// Deque of Chase and Lev: thieves take from the top until it is empty; a lost race is tried again.
extern "C" __global__ void deque_steal(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < 32) deque_items[t] = t + 1;
    if (t == 0) deque_bottom = 32;
    __syncthreads();
    if (t >= n) return;
    for (;;) {
        unsigned top = load(&deque_top);
        __threadfence();
        unsigned bottom = load(&deque_bottom);
        if ((int)(bottom - top) <= 0) break;
        unsigned item = load(&deque_items[top & 255]);
        if (atomicCAS(&deque_top, top, top + 1) == top) {
            atomicAdd(b, item);
            break;
        }
    }
}

// nothing: persistent_threads
// Persistent threads: items by fetch and add until there are no more.
extern "C" __global__ void persistent_threads(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    for (;;) {
        unsigned item = atomicAdd(&persistent_next, 1);
        if (item >= 200) break;
        atomicAdd(b, 1);
    }
}

// nothing: persistent_warps
// Persistent warps: the leader fetches 32 items for its warp until there are no more.
extern "C" __global__ void persistent_warps(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    unsigned lane = threadIdx.x & 31, first;
    do {
        if (lane == 0) first = atomicAdd(&persistent_next, 32);
        first = __shfl_sync(0xffffffffu, first, 0);
        if (first + lane < 200) atomicAdd(b, 1);
    } while (first < 200);
}

// nothing: work_counter
// A count of work left: takes up to eight at a time until nothing is left.
extern "C" __global__ void work_counter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    unsigned left = load(&work_left);
    while (left > 0) {
        unsigned take = min(left, 8u), seen = atomicCAS(&work_left, left, left - take);
        if (seen == left) atomicAdd(b, take);
        left = seen == left ? left - take : seen;
    }
}

// nothing: range_stealing
// Ranges of work in a word each: a thief takes the upper half of somebody's range.
extern "C" __global__ void range_stealing(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < 64) range_word[t] = (Word)(t * 8 + 8) << 32 | t * 8;
    __syncthreads();
    if (t >= n) return;
    Word *victim = &range_word[(t * 7 + 1) & 63], old = *(volatile Word *)victim;
    while ((unsigned)old + 1 < (unsigned)(old >> 32)) {
        unsigned low = (unsigned)old, middle = (low + (unsigned)(old >> 32)) / 2;
        Word seen = atomicCAS(victim, old, (Word)middle << 32 | low);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
}

// nothing: load_link_store
// Load-link and store-conditional by a version beside the value.
extern "C" __global__ void load_link_store(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    bool stored;
    do {
        Word linked = *(volatile Word *)&versioned;
        unsigned value = (unsigned)linked + 1;
        stored = atomicCAS(&versioned, linked, ((linked >> 32) + 1) << 32 | value) == linked;
    } while (!stored);
    atomicAdd(b, 1);
}

// nothing: sharded_counter
// A counter in shards and its sum, without any loop that depends on memory.
extern "C" __global__ void sharded_counter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    atomicAdd(&sharded[t & 31], 1);
    unsigned sum = 0;
    for (int i = 0; i < 32; ++i) sum += load(&sharded[i]);
    atomicAdd(b, sum > 0);
}

// nothing: bloom_filter
// Bloom filter: three bits; a test that stops at the first bit that is missing.
extern "C" __global__ void bloom_filter(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned hash = c[t] * 2654435761u;
    for (int i = 0; i < 3; ++i) atomicOr(&bloom[hash >> (9 * i) & 63], 1u << (hash >> (9 * i + 6) & 31));
    int hits = 0;
    while (hits < 3 && (load(&bloom[hash >> (9 * hits) & 63]) >> (hash >> (9 * hits + 6) & 31) & 1)) ++hits;
    atomicAdd(b, hits == 3);
}

// nothing: count_min_conservative
// Count-min sketch with conservative update: each counter is raised to the new estimate, no further.
extern "C" __global__ void count_min_conservative(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned low = 0xffffffffu, hash = c[t] * 2246822519u;
    for (int i = 0; i < 4; ++i) low = min(low, load(&count_min[i][hash >> 6 * i & 63]));
    for (int i = 0; i < 4; ++i) {
        unsigned *cell = &count_min[i][hash >> 6 * i & 63], old = load(cell);
        while (old < low + 1) {
            unsigned seen = atomicCAS(cell, old, low + 1);
            if (seen == old) break;
            old = seen;
        }
    }
    atomicAdd(b, 1);
}

// nothing: counting_network
// Counting network of width four: balancers toggled by fetch and add, then a counter.
extern "C" __global__ void counting_network(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned wire = t & 3;
    for (int layer = 0; layer < 2; ++layer) {
        unsigned toggle = atomicXor(&balancer_toggle[layer * 2 + (wire & 1)], 1) & 1;
        wire = wire >> 1 | toggle << 1;
    }
    atomicAdd(&network_out[wire], 1);
    atomicAdd(b, 1);
}

// nothing: renaming_splitters
// Renaming by splitters in a row: stop, go right, or go down; no thread goes further than the row is long.
extern "C" __global__ void renaming_splitters(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned at = 0;
    while (at < 63) {
        atomicExch(&splitter_x[at], t + 1);
        if (load(&splitter_y[at]) == 0) {
            atomicExch(&splitter_y[at], 1);
            __threadfence();
            if (load(&splitter_x[at]) == t + 1) break;
        }
        ++at;
    }
    atomicAdd(b, 1);
}

// nothing: left_right_read
// Left-right: a reader counts itself in on the side that it sees, reads, and counts itself out.
extern "C" __global__ void left_right_read(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned side = load(&left_side) & 1;
    atomicAdd(&left_reader[side], 1);
    unsigned value = load(&buffers[side][0]);
    atomicSub(&left_reader[side], 1);
    atomicAdd(b, value + 1);
}
