// ScatterAlloc (Steinberger et al. 2012): hashed start page, page table with chunk size and count, bitfield per page.
struct Page { unsigned chunksize, count, bits; };
#define PAGE 4096u
__device__ int on_page(Page *p, unsigned size, unsigned spots) {
    unsigned old = atomicAdd(&p->count, 1);
    if (old < spots) {
        unsigned spot = (threadIdx.x * 7) % spots;
        while (true) {
            unsigned prev = atomicOr(&p->bits, 1u << spot);
            if (!(prev & 1u << spot)) return spot;
            unsigned free_ = ~(prev | 1u << spot) & (spots == 32 ? 0xffffffffu : (1u << spots) - 1);
            if (free_ == 0) break;
            spot = __ffs(free_) - 1;
        }
    }
    atomicSub(&p->count, 1);
    return -1;
}
// assumed: k
extern "C" __global__ void k(Page *table, unsigned pages, char *heap, const unsigned *sizes, char **out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bytes = max(128u, (sizes[i] + 15) & ~15u), start = (bytes * 38183u + blockIdx.x * 17497u) % pages, page = start;
    out[i] = nullptr;
    do {
        unsigned chunk = *(volatile unsigned *)&table[page].chunksize;
        if (chunk == 0) {
            unsigned before = atomicCAS(&table[page].chunksize, 0u, bytes);
            chunk = before == 0 ? bytes : before;
        }
        if (chunk >= bytes && chunk <= 2 * bytes) {
            int spot = on_page(&table[page], chunk, min(32u, PAGE / chunk));
            if (spot >= 0) { out[i] = heap + page * PAGE + spot * chunk; return; }
        }
        if (++page == pages) page = 0;
    } while (page != start);
}
