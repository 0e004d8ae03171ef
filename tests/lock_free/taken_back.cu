// What lanes announce and take back again, and bits that are claimed: loops that look like those of deques, tries and bitmaps, and may wait.

__device__ volatile unsigned mark, stopped;
__device__ unsigned tries, bits;
__device__ volatile int bottom, top;
__device__ volatile int tasks[64];

// found: mark_taken_back
// Lanes that see each other's marks may go on for ever, where one alone leaves.
extern "C" __global__ void mark_taken_back(int *b) {
    for (;;) {
        unsigned seen = mark;
        mark = seen + 1 + threadIdx.x;
        __threadfence();
        unsigned now = mark;
        mark = seen;
        if (now == seen + 1 + threadIdx.x || stopped) break;
    }
    atomicAdd(b, 1);
    stopped = 1;
}

// found: mark_taken_back_with_a_count
// The count is taken back as well.
extern "C" __global__ void mark_taken_back_with_a_count(int *b) {
    for (;;) {
        unsigned seen = mark;
        b[1 + atomicAdd(&tries, 1)] = 1;
        mark = seen + 1 + threadIdx.x;
        __threadfence();
        unsigned now = mark;
        mark = seen;
        b[1 + atomicSub(&tries, 1)] = 0;
        if (now == seen + 1 + threadIdx.x || stopped) break;
    }
    atomicAdd(b, 1);
    stopped = 1;
}

// found: mark_taken_back_with_a_swap
// The swap may fail each time.
extern "C" __global__ void mark_taken_back_with_a_swap(int *b) {
    for (;;) {
        unsigned seen = mark, tried = *(volatile unsigned *)&tries;
        mark = seen + 1 + threadIdx.x;
        __threadfence();
        unsigned now = mark;
        atomicCAS(&tries, tried, tried + 1);
        mark = seen;
        if (now == seen + 1 + threadIdx.x || stopped) break;
    }
    atomicAdd(b, 1);
    stopped = 1;
}

// found: mark_taken_back_with_the_swap
// What the swap changes is stored back.
extern "C" __global__ void mark_taken_back_with_the_swap(int *b) {
    for (;;) {
        unsigned seen = mark, tried = *(volatile unsigned *)&tries;
        mark = seen + 1 + threadIdx.x;
        __threadfence();
        unsigned now = mark;
        if (now == seen + 1 + threadIdx.x || stopped) break;
        if (atomicCAS(&tries, tried, tried + 1) != tried) break;
        *(volatile unsigned *)&tries = tried;
        mark = seen;
    }
    atomicAdd(b, 1);
    stopped = 1;
}

// assumed: mark_taken_back_with_a_swap_that_succeeds
extern "C" __global__ void mark_taken_back_with_a_swap_that_succeeds(int *b) {
    for (;;) {
        unsigned seen = mark, tried = *(volatile unsigned *)&tries;
        mark = seen + 1 + threadIdx.x;
        __threadfence();
        unsigned now = mark;
        if (now == seen + 1 + threadIdx.x || stopped) break;
        if (atomicCAS(&tries, tried, tried + 1) != tried) break;
        mark = seen;
    }
    atomicAdd(b, 1);
    stopped = 1;
}

// found: owner_that_is_told
// Takes from its end as a deque does, and waits, where that is empty, until it is told that nothing comes any more.
extern "C" __global__ void owner_that_is_told(int *b) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (;;) {
            int at = bottom - 1;
            bottom = at;
            __threadfence();
            int first = top;
            if (first < at) { sum += tasks[at & 63]; continue; }
            if (first == at && atomicCAS((int *)&top, first, first + 1) == first) sum += tasks[at & 63];
            bottom = at + 1;
            if (stopped) break;
        }
        b[0] = sum;
    } else {
        stopped = 1;
    }
}

// found: thief_of_a_lock
// Steals the lock as a task: the top is as far as the bottom until the owner gives it back.
extern "C" __global__ void thief_of_a_lock(int *b) {
    for (;;) {
        int first = top;
        __threadfence();
        if (first < bottom && atomicCAS((int *)&top, first, first + 1) == first) break;
    }
    b[0] += 1;
    __threadfence();
    bottom = bottom + 1;
}

// found: bit_chosen_before
// The bit was clear when it was chosen; now it may be another lane's.
extern "C" __global__ void bit_chosen_before(int *b) {
    unsigned word = *(volatile unsigned *)&bits, from = threadIdx.x & 31;
    unsigned bit = (__ffs(__funnelshift_r(~word, ~word, from)) - 1 + from) & 31;
    while (atomicOr(&bits, 1u << bit) >> bit & 1) {}
    b[0] += 1;
    __threadfence();
    atomicAnd(&bits, ~(1u << bit));
}

// found: bit_of_a_full_word
// Where all bits are set, the bit is one that is set.
extern "C" __global__ void bit_of_a_full_word(int *b) {
    unsigned from = threadIdx.x & 31, bit, word = *(volatile unsigned *)&bits;
    for (;;) {
        bit = (__ffs(__funnelshift_r(~word, ~word, from)) - 1 + from) & 31;
        word = atomicOr(&bits, 1u << bit);
        if (!(word >> bit & 1)) break;
    }
    b[0] += 1;
    __threadfence();
    atomicAnd(&bits, ~(1u << bit));
}

// found: bit_rotated_otherwise
// Searches from one place and adds another one.
extern "C" __global__ void bit_rotated_otherwise(int *b, unsigned more) {
    unsigned from = threadIdx.x & 31, bit, word = *(volatile unsigned *)&bits;
    while (~word) {
        bit = (__ffs(__funnelshift_r(~word, ~word, from)) - 1 + more) & 31;
        word = atomicOr(&bits, 1u << bit);
        if (!(word >> bit & 1)) { b[0] += 1; __threadfence(); atomicAnd(&bits, ~(1u << bit)); break; }
    }
}

__device__ volatile int first_node, node_after[1024], partner_of[1024];

// found: announced_in_own_node
// A link in the lane's own node, which is taken back where the neighbour has one: both may do that for ever, although a swap publishes the node in the end.
extern "C" __global__ void announced_in_own_node(int *b) {
    int own = threadIdx.x;
    for (;;) {
        int first = first_node;
        node_after[own] = first;
        if (node_after[own ^ 1] != -1) { node_after[own] = -1; continue; }
        if (atomicCAS((int *)&first_node, first, own) == first) break;
    }
    node_after[own] = -1;
    b[own] = 1;
}

// found: announced_to_partner
// The same where memory says who the neighbour is.
extern "C" __global__ void announced_to_partner(int *b) {
    int own = threadIdx.x;
    for (;;) {
        int first = first_node;
        node_after[own] = first;
        if (node_after[partner_of[own]] != -1) { node_after[own] = -1; continue; }
        if (atomicCAS((int *)&first_node, first, own) == first) break;
    }
    node_after[own] = -1;
    b[own] = 1;
}
