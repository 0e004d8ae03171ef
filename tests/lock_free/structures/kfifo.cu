// k-FIFO segment (Kirsch, Lippautz, Payer): claim any free slot of the tail segment, else advance the tail; bounded array.
typedef unsigned long long u64;
#define KSEG 16
__device__ bool enqueue(unsigned *items, unsigned segments, unsigned *head, unsigned *tail, unsigned item) {
    while (true) {
        unsigned t = *(volatile unsigned *)tail, h = *(volatile unsigned *)head;
        unsigned base = t % segments * KSEG;
        int slot = -1;
        for (int i = 0; i < KSEG && slot < 0; ++i)
            if (*(volatile unsigned *)&items[base + (i + item) % KSEG] == 0) slot = (i + item) % KSEG;
        if (slot >= 0) {
            if (atomicCAS(&items[base + slot], 0u, item) == 0) return true;
        } else {
            if (t + 1 - h >= segments) return false;
            atomicCAS(tail, t, t + 1);
        }
    }
}
__device__ unsigned dequeue(unsigned *items, unsigned segments, unsigned *head, unsigned *tail) {
    while (true) {
        unsigned h = *(volatile unsigned *)head, t = *(volatile unsigned *)tail;
        unsigned base = h % segments * KSEG, item = 0;
        int slot = 0;
        for (; slot < KSEG; ++slot) if ((item = *(volatile unsigned *)&items[base + slot]) != 0) break;
        if (slot < KSEG) {
            if (atomicCAS(&items[base + slot], item, 0u) == item) return item;
        } else {
            if (h == t) return 0;
            atomicCAS(head, h, h + 1);
        }
    }
}
// nothing: k
extern "C" __global__ void k(unsigned *items, unsigned segments, unsigned *head, unsigned *tail, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    enqueue(items, segments, head, tail, i + 1);
    out[i] = dequeue(items, segments, head, tail);
}
