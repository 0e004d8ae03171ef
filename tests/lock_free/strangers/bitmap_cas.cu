// Outer loop over at most `words` words; the inner one repeats only if the CAS failed on the value just read, i.e.
// another thread has changed the word; alone it succeeds at once or the word is full.

// nothing: alloc_pages
extern "C" __global__ void alloc_pages(unsigned *bitmap, int words, int *page)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int got = -1;
    for (int k = 0; k < words && got < 0; ++k) {
        int w = (tid + k) % words;
        unsigned old = bitmap[w];
        while (old != 0xffffffffu) {
            int bit = __ffs(~old) - 1;
            unsigned seen = atomicCAS(&bitmap[w], old, old | (1u << bit));
            if (seen == old) { got = w * 32 + bit; break; }
            old = seen;
        }
    }
    page[tid] = got;
}
