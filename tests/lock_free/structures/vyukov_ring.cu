// Vyukov bounded MPMC queue, try_push / try_pop: returns false when a slot is not ready.
struct Cell { unsigned sequence; unsigned data; };
__device__ bool try_push(Cell *buffer, unsigned mask, unsigned *enqueue_pos, unsigned data) {
    unsigned pos = *(volatile unsigned *)enqueue_pos;
    Cell *cell;
    for (;;) {
        cell = &buffer[pos & mask];
        unsigned seq = *(volatile unsigned *)&cell->sequence;
        __threadfence();
        int dif = (int)seq - (int)pos;
        if (dif == 0) {
            if (atomicCAS(enqueue_pos, pos, pos + 1) == pos) break;
            pos = *(volatile unsigned *)enqueue_pos;
        } else if (dif < 0) return false;
        else pos = *(volatile unsigned *)enqueue_pos;
    }
    cell->data = data;
    __threadfence();
    *(volatile unsigned *)&cell->sequence = pos + 1;
    return true;
}
__device__ bool try_pop(Cell *buffer, unsigned mask, unsigned *dequeue_pos, unsigned *data) {
    unsigned pos = *(volatile unsigned *)dequeue_pos;
    Cell *cell;
    for (;;) {
        cell = &buffer[pos & mask];
        unsigned seq = *(volatile unsigned *)&cell->sequence;
        __threadfence();
        int dif = (int)seq - (int)(pos + 1);
        if (dif == 0) {
            if (atomicCAS(dequeue_pos, pos, pos + 1) == pos) break;
            pos = *(volatile unsigned *)dequeue_pos;
        } else if (dif < 0) return false;
        else pos = *(volatile unsigned *)dequeue_pos;
    }
    *data = cell->data;
    __threadfence();
    *(volatile unsigned *)&cell->sequence = pos + mask + 1;
    return true;
}
// assumed: k
extern "C" __global__ void k(Cell *buffer, unsigned mask, unsigned *enq, unsigned *deq, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = 0xffffffff;
    try_push(buffer, mask, enq, i);
    try_pop(buffer, mask, deq, &v);
    out[i] = v;
}
