// Walks that begin behind a pointer in memory, and end at one; and waits that look like them.

struct Node {
    unsigned key;
    int taken;
    unsigned long long next; // address | deleted
};

struct List {
    Node *head, *tail;
};

__device__ static Node *node_of(unsigned long long link) { return (Node *)(link & ~1ull); }
__device__ static unsigned long long link_of(Node *node) { return *(volatile unsigned long long *)&node->next; }

__device__ static Node *locate(List *list, unsigned key) {
retry:
    Node *before = list->head, *at = node_of(link_of(before));
    for (;;) {
        unsigned long long next = link_of(at);
        while (next & 1) {
            if (atomicCAS(&before->next, (unsigned long long)at, next & ~1ull) != (unsigned long long)at) goto retry;
            at = node_of(next);
            next = link_of(at);
        }
        if (at->key >= key) return at;
        before = at;
        at = node_of(next);
    }
}

// nothing: removes_behind_pointer
extern "C" __global__ void removes_behind_pointer(List *list, const unsigned *keys, int *removed) {
    Node *at = locate(list, keys[threadIdx.x]);
    unsigned long long next = link_of(at);
    while (!(next & 1)) {
        unsigned long long seen = atomicCAS(&at->next, next, next | 1);
        if (seen == next) break;
        next = seen;
    }
    removed[threadIdx.x] = !(next & 1);
    locate(list, keys[threadIdx.x]);
}

// found: mark_that_is_cleared
// Whoever has set the bit of the first link clears it behind the loop.
extern "C" __global__ void mark_that_is_cleared(List *list, const unsigned *keys, int *removed) {
    Node *first = list->head;
    for (;;) {
        first = list->head;
        unsigned long long next = link_of(first) & ~1ull;
        if (atomicCAS(&first->next, next, next | 1) == next) break;
    }
    removed[threadIdx.x] = locate(list, keys[threadIdx.x])->key == keys[threadIdx.x];
    atomicAnd(&first->next, ~1ull);
}

// found: marks_of_nodes_that_are_cleared
// The same of a node that the walk has found.
extern "C" __global__ void marks_of_nodes_that_are_cleared(List *list, const unsigned *keys, int *removed) {
    Node *at = list->head;
    for (;;) {
        Node *next = node_of(link_of(at));
        if (!next || next->key >= keys[threadIdx.x]) break;
        at = next;
    }
    unsigned long long next;
    do next = link_of(at) & ~1ull;
    while (atomicCAS(&at->next, next, next | 1) != next);
    removed[threadIdx.x] += 1;
    atomicExch(&at->next, next);
}

// nothing: takes_first_up_to_tail
extern "C" __global__ void takes_first_up_to_tail(List *list, unsigned *taken) {
    unsigned key = 0xffffffffu;
    for (Node *at = node_of(link_of(list->head)); at != list->tail; at = node_of(link_of(at))) {
        if (*(volatile int *)&at->taken == 0 && atomicCAS(&at->taken, 0, 1) == 0) {
            key = at->key;
            break;
        }
    }
    taken[threadIdx.x] = key;
}

// found: walks_to_a_tail_that_comes
// The walk goes round until another lane has moved the tail to where it is.
extern "C" __global__ void walks_to_a_tail_that_comes(List *list, unsigned *taken) {
    Node *at = list->head;
    if (threadIdx.x == 0) {
        *(Node *volatile *)&list->tail = at;
    } else {
        for (at = node_of(link_of(at)); at != *(Node *volatile *)&list->tail;) at = node_of(link_of(at));
    }
    taken[threadIdx.x] = at->key;
}

// nothing: levels_without_marks_in_the_way
// A search over levels that goes over marked nodes without unlinking them.
extern "C" __global__ void levels_without_marks_in_the_way(Node **levels, const unsigned *keys, int *found) {
    unsigned key = keys[threadIdx.x];
    Node *before = levels[0], *at = before;
#pragma unroll
    for (int level = 2; level >= 0; --level) {
        volatile unsigned long long *links = (volatile unsigned long long *)((char *)before + 16);
        at = node_of(links[level]);
        for (;;) {
            unsigned long long next = ((volatile unsigned long long *)((char *)at + 16))[level];
            while (next & 1) {
                at = node_of(next);
                next = ((volatile unsigned long long *)((char *)at + 16))[level];
            }
            if (at->key >= key) break;
            before = at;
            at = node_of(next);
        }
    }
    found[threadIdx.x] = at->key == key;
}
