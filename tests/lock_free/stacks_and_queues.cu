// Linked and ring-shaped containers.

struct Node { int next, value; };

// nothing: push
extern "C" __global__ void push(int *head, Node *nodes, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, first;
    nodes[t].value = 3 * t;
    do {
        first = *(volatile int *)head;
        nodes[t].next = first;
        __threadfence();
    } while (atomicCAS(head, first, t + 1) != first);
    out[t] = first;
}

// nothing: pop
// The upper half of the head counts, so that a node that comes back is not taken for itself.
extern "C" __global__ void pop(unsigned long long *head, const Node *nodes, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, got = -1;
    unsigned long long old = *(volatile unsigned long long *)head, seen;
    do {
        seen = old;
        got = (int)(unsigned)seen - 1;
        if (got < 0) break;
        unsigned long long count = (seen >> 32) + 1;
        old = atomicCAS(head, seen, count << 32 | (unsigned)((volatile const Node *)nodes)[got].next);
    } while (old != seen);
    out[t] = got;
}

// nothing: push_to_bucket
extern "C" __global__ void push_to_bucket(int *heads, Node *nodes, const int *keys, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *head = heads + (keys[t] & 63), old = *(volatile int *)head, seen;
    do {
        seen = old;
        nodes[t].next = seen;
        __threadfence();
        old = atomicCAS(head, seen, t);
    } while (old != seen);
    out[t] = old;
}

// nothing: claim_of_slot
// A ring in which a slot is claimed if there is room, and filled behind the loop.
extern "C" __global__ void claim_of_slot(unsigned *tail, unsigned *head, unsigned *ring, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at;
    bool claimed = false;
    do {
        at = *(volatile unsigned *)tail;
        if (at - *(volatile unsigned *)head >= 256) break;
        claimed = atomicCAS(tail, at, at + 1) == at;
    } while (!claimed);
    if (claimed) ring[at & 255] = t;
    out[t] = claimed;
}

// found: ticket_queue
// A slot is claimed, and then waited for until the one before has left it: somebody waits here.
extern "C" __global__ void ticket_queue(unsigned *tail, unsigned *turn, unsigned *ring, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = atomicAdd(tail, 1);
    while (*(volatile unsigned *)&turn[at & 7] != at >> 3);
    ring[at & 7] = t;
    __threadfence();
    atomicAdd(&turn[at & 7], 1);
    out[t] = at;
}

// nothing: steal
// The thief's side of a work-stealing deque.
extern "C" __global__ void steal(int *top, const int *bottom, const int *tasks, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, task = -1;
    for (;;) {
        int first = *(volatile int *)top;
        __threadfence();
        int last = *(volatile const int *)bottom;
        if (first >= last) break;
        task = ((volatile const int *)tasks)[first & 1023];
        if (atomicCAS(top, first, first + 1) == first) break;
        task = -1;
    }
    out[t] = task;
}

// assumed: enqueue
// Who finds the tail behind helps it on: from a tail that is far behind, a lane alone takes as many rounds as there are nodes, which are assumed to come to an end.
extern "C" __global__ void enqueue(int *tail, Node *nodes, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (;;) {
        int last = *(volatile int *)tail, next = ((volatile Node *)nodes)[last].next;
        if (next != 0) {
            atomicCAS(tail, last, next);
            continue;
        }
        if (atomicCAS(&nodes[last].next, 0, t) == 0) {
            atomicCAS(tail, last, t);
            break;
        }
    }
    out[t] = 1;
}

// nothing: insert_at_head_of_sorted
// A list in which what is before the place of insertion is found first, with a bound on its length.
extern "C" __global__ void insert_at_head_of_sorted(int *heads, Node *nodes, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, hops = 0;
    int *link = heads + (t & 15);
    while (hops < 1000) {
        int next = *(volatile int *)link;
        if (next != 0 && ((volatile Node *)nodes)[next].value < t) {
            link = &nodes[next].next;
            ++hops;
            continue;
        }
        nodes[t].next = next;
        __threadfence();
        if (atomicCAS(link, next, t) == next) break;
        ++hops;
    }
    out[t] = hops;
}
