// Treiber stack over an index pool with a tag in the upper half against ABA.
__device__ unsigned long long head = 0xffffffffull;
__device__ unsigned next_of[1 << 20];
#define NIL 0xffffffffu
__device__ void push(unsigned node) {
    unsigned long long old = *(volatile unsigned long long *)&head, mine;
    do {
        next_of[node] = (unsigned)old;
        __threadfence();
        mine = ((old >> 32) + 1) << 32 | node;
        unsigned long long seen = atomicCAS(&head, old, mine);
        if (seen == old) break;
        old = seen;
    } while (true);
}
__device__ unsigned pop() {
    unsigned long long old = atomicAdd(&head, 0ull), mine, seen;
    while (true) {
        unsigned node = (unsigned)old;
        if (node == NIL) return NIL;
        mine = ((old >> 32) + 1) << 32 | *(volatile unsigned *)&next_of[node];
        seen = atomicCAS(&head, old, mine);
        if (seen == old) return node;
        old = seen;
    }
}
// nothing: k
extern "C" __global__ void k(unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    push(i);
    out[i] = pop();
}
