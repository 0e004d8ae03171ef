// Loops that end since a number goes one way only, in a register or in memory; and some in which it comes back.

__device__ unsigned head, tail, flag, next_of[1024], cells[1024];

// nothing: tickets_end
extern "C" __global__ void tickets_end(unsigned *b) {
    for (;;) {
        unsigned ticket = atomicAdd(&tail, 1);
        if (ticket >= 1024) break;
        if (atomicCAS(&cells[ticket], 0, 1) == 0) break;
    }
    atomicExch(&cells[5], 0);
}

// found: tickets_wait
// The tickets have no end, and one of them is set free behind the loop.
extern "C" __global__ void tickets_wait(unsigned *b) {
    unsigned ticket;
    do ticket = atomicAdd(&tail, 1) & 3; while (atomicCAS(&cells[ticket], 0, 1) != 0);
    atomicExch(&cells[ticket], 0);
}

// nothing: count_down
extern "C" __global__ void count_down(unsigned *b) {
    while (*(volatile unsigned *)&tail != 0) {
        unsigned v = *(volatile unsigned *)&tail;
        if (v == 0) break;
        if (atomicCAS(&tail, v, v - 1) == v) atomicAdd(&flag, 1);
    }
    atomicAdd(&tail, 1);
}

// found: take_one
// A semaphore: goes round while it is 0.
extern "C" __global__ void take_one(unsigned *b) {
    for (;;) {
        unsigned v = *(volatile unsigned *)&tail;
        if (v != 0 && atomicCAS(&tail, v, v - 1) == v) break;
    }
    atomicAdd(&tail, 1);
}

// nothing: drain
extern "C" __global__ void drain(unsigned *b) {
    unsigned v = *(volatile unsigned *)&tail, sum = 0;
    while (v != 0) {
        sum += v;
        v = atomicExch(&tail, 0);
    }
    atomicAdd(&tail, sum & 1);
}

// nothing: raise_maximum
extern "C" __global__ void raise_maximum(unsigned *b) {
    unsigned before = 0, wanted;
    while ((wanted = *(volatile unsigned *)&flag) > before) before = atomicMax(&head, wanted);
    atomicAdd(&flag, 1);
}

// found: maximum_reached
// Each lane raises the maximum by its own number only, and waits for the largest.
extern "C" __global__ void maximum_reached(unsigned *b) {
    if (threadIdx.x != 31) while (atomicMax(&head, threadIdx.x) < 31) {}
    atomicMax(&head, threadIdx.x);
}

// nothing: minimum_of_both
extern "C" __global__ void minimum_of_both(unsigned *b) {
    for (;;) {
        unsigned x = *(volatile unsigned *)&head, y = *(volatile unsigned *)&tail;
        if (x == y) break;
        if (x < y) atomicMin(&tail, x);
        else atomicMin(&head, y);
    }
    atomicAdd(&head, 1);
}

// nothing: parents_sink
extern "C" __global__ void parents_sink(unsigned *b) {
    unsigned at = threadIdx.x;
    while (true) {
        unsigned parent = *(volatile unsigned *)&next_of[at];
        if (parent >= at) break;
        at = parent;
    }
    atomicMin(&next_of[at], at / 2);
}

// assumed: parents_in_a_ring
extern "C" __global__ void parents_in_a_ring(unsigned *b) {
    unsigned at = threadIdx.x;
    while (true) {
        unsigned parent = *(volatile unsigned *)&next_of[at];
        if (parent == at) break;
        at = parent;
    }
    atomicExch(&next_of[at / 2], at / 2);
}

// nothing: halving
extern "C" __global__ void halving(unsigned *b, int n) {
    unsigned i = (unsigned)n & 1023;
    while (i != 0) {
        if (*(volatile unsigned *)&cells[i] == 7) break;
        i >>= 1;
    }
    atomicAdd(&cells[0], 1);
}

// found: halving_again
// At the end of the search it begins anew.
extern "C" __global__ void halving_again(unsigned *b, int n) {
    unsigned i = (unsigned)n & 1023;
    while (*(volatile unsigned *)&cells[i] != 7) {
        i >>= 1;
        if (i == 0) i = (unsigned)n & 1023;
    }
    atomicExch(&cells[0], 7);
}

// nothing: heap_descent
extern "C" __global__ void heap_descent(unsigned *b, int n) {
    unsigned i = 0, key = n;
    while (i < 1023) {
        unsigned seen = *(volatile unsigned *)&cells[i];
        if (seen == key) break;
        i = 2 * i + (key < seen ? 1 : 2);
    }
    atomicAdd(&cells[0], 1);
}

// found: descent_without_end
// The number grows, but past the last one it is small again.
extern "C" __global__ void descent_without_end(unsigned *b, int n) {
    unsigned i = 0;
    while (*(volatile unsigned *)&cells[i & 1023] != 7) i = 2 * i + 1;
    atomicExch(&cells[1023], 7);
}

// nothing: lowest_bits
extern "C" __global__ void lowest_bits(unsigned *b, int n) {
    unsigned bits = n;
    while (bits != 0) {
        if (*(volatile unsigned *)&cells[__ffs(bits) - 1] == 7) break;
        bits &= bits - 1;
    }
    atomicAdd(&cells[0], 1);
}

// nothing: pop_and_result
extern "C" __global__ void pop_and_result(unsigned *b) {
    unsigned top;
    while ((top = *(volatile unsigned *)&head) != 0) {
        if (atomicCAS(&head, top, next_of[top]) == top) {
            atomicAdd(b, top);
            break;
        }
    }
}
