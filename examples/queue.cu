// A lock-free queue (Michael and Scott, PODC 1996): every lane appends a node.
struct Node {
    unsigned next;
    int value;
};

extern "C" __global__ void enqueue(volatile Node *nodes, unsigned *tail) {
    unsigned node = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    nodes[node].next = 0;
    __threadfence();
    while (true) {
        unsigned last = *(volatile unsigned *)tail, next = nodes[last].next;
        if (next != 0) {
            atomicCAS(tail, last, next);
        } else if (atomicCAS((unsigned *)&nodes[last].next, 0, node) == 0) {
            atomicCAS(tail, last, node);
            break;
        }
    }
}
