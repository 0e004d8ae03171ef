// Free list of fixed size blocks with a bump allocator behind it; the link lies in the free block itself.
typedef unsigned long long u64;
__device__ u64 free_head;       // tag << 32 | (block + 1)
__device__ unsigned bump;
__device__ int allocate(char *heap, unsigned block_size, unsigned blocks) {
    u64 head = *(volatile u64 *)&free_head;
    while ((unsigned)head != 0) {
        unsigned block = (unsigned)head - 1;
        unsigned next = *(volatile unsigned *)(heap + (size_t)block * block_size);
        u64 seen = atomicCAS(&free_head, head, ((head >> 32) + 1) << 32 | next);
        if (seen == head) return block;
        head = seen;
    }
    unsigned b = *(volatile unsigned *)&bump, old;
    do {
        if (b >= blocks) return -1;
        old = b;
        b = atomicCAS(&bump, old, old + 1);
    } while (b != old);
    return b;
}
__device__ void release(char *heap, unsigned block_size, unsigned block) {
    u64 head = *(volatile u64 *)&free_head, seen;
    while (true) {
        *(volatile unsigned *)(heap + (size_t)block * block_size) = (unsigned)head;
        __threadfence();
        seen = atomicCAS(&free_head, head, ((head >> 32) + 1) << 32 | (block + 1));
        if (seen == head) break;
        head = seen;
    }
}
// assumed: k
extern "C" __global__ void k(char *heap, unsigned block_size, unsigned blocks, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = allocate(heap, block_size, blocks);
    out[i] = b;
    if (b >= 0 && (i & 3)) release(heap, block_size, b);
}
