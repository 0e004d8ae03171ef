// Lock-free lists, skip lists and sets. Nodes are indices, 0 is none; the low bit of a link marks its node as removed.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned harris_link[1024], harris_key[1024];
__device__ unsigned michael_link[1024], michael_key[1024];
__device__ unsigned insert_link[1024], insert_key[1024];
__device__ unsigned remove_link[1024], remove_key[1024];
__device__ unsigned lazy_link[1024], lazy_key[1024], lazy_gone[1024];
__device__ unsigned tower_link[4][1024], tower_key[1024];
__device__ unsigned append_head, append_link[1024], pixel_head[16], pixel_link[1024];
__device__ Word wide_link[1024];
__device__ unsigned set_bits[32], journal_top, journal[1024], doubly_next[1024], doubly_previous[1024];
__device__ unsigned chunk_next[64], chunk_used[64], chunk_items[64][16], chunk_fresh;

__device__ unsigned load(unsigned *word) { return *(volatile unsigned *)word; }

// nothing: mark_for_removal
// Logical removal: the mark is set by compare and swap unless somebody else has set it.
extern "C" __global__ void mark_for_removal(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned at = t & 15, link = load(&remove_link[at]);
    while (!(link & 1)) {
        unsigned seen = atomicCAS(&remove_link[at], link, link | 1);
        if (seen == link) {
            atomicAdd(b, 1);
            break;
        }
        link = seen;
    }
}

// nothing: pixel_lists
// Lists of fragments per pixel: an exchange of the head gives the link, no loop but the walk behind a barrier.
extern "C" __global__ void pixel_lists(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t < n) pixel_link[t + 1] = atomicExch(&pixel_head[c[t] & 15], t + 1);
    __syncthreads();
    unsigned count = 0;
    if (t < 16) {
        for (unsigned at = pixel_head[t]; at != 0; at = pixel_link[at]) ++count;
        b[1 + t] = count;
    }
}

// nothing: bit_set
// A set of small numbers in bits: one atomic operation each, and a search for the next number that is there.
extern "C" __global__ void bit_set(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    unsigned key = c[t] & 1023;
    atomicOr(&set_bits[key >> 5], 1u << (key & 31));
    unsigned word = key >> 5, bits = load(&set_bits[word]) & (0xfffffffeu << (key & 31));
    while (bits == 0 && ++word < 32) bits = load(&set_bits[word]);
    atomicAdd(b, 1);
    if (bits != 0) atomicOr(&set_bits[word], bits & (0u - bits));
}

// nothing: journal_append
// A journal: a place by fetch and add, and a reader that goes as far as the entries are filled.
extern "C" __global__ void journal_append(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned place = atomicAdd(&journal_top, 1);
    if (place < 1024) atomicExch(&journal[place], t + 1);
    unsigned length = 0;
    while (length < 1024 && load(&journal[length]) != 0) ++length;
    if (length > 0) atomicAdd(b, 1);
}

// nothing: doubly_linked_hint
// Doubly linked list of Sundell's kind: forward links are exact, backward links are hints that are repaired on the way.
extern "C" __global__ void doubly_linked_hint(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned node = t + 1, first;
    do {
        first = load(&doubly_next[0]);
        *(volatile unsigned *)&doubly_next[node] = first;
        __threadfence();
    } while (atomicCAS(&doubly_next[0], first, node) != first);
    unsigned hint = load(&doubly_previous[first]);
    while (hint != node && hint == 0) {
        unsigned seen = atomicCAS(&doubly_previous[first], hint, node);
        if (seen == hint) break;
        hint = seen;
    }
    atomicAdd(b, 1);
}
