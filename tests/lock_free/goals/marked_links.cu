// Sorted lists whose links say by a bit that their node is deleted.
//
// A link is the index of the next node, twice, with the mark in bit 0; no link leads to where a list begins.

struct List {
    unsigned *link;
    int *key;
};

__device__ unsigned look(const unsigned *at) { return *(const volatile unsigned *)at; }

// Returns the node before a key and the one behind that, and unlinks marked ones on the way, one by one.
__device__ unsigned find(List list, unsigned first, int key, unsigned &before) {
    for (;;) {
        before = first;
        unsigned next = look(&list.link[before]);
        bool lost = false;
        while (next >> 1) {
            unsigned node = next >> 1, behind = look(&list.link[node]);
            if (behind & 1) {
                lost = atomicCAS(&list.link[before], next & ~1u, behind & ~1u) != (next & ~1u);
                if (lost) break;
                next = behind & ~1u;
                continue;
            }
            if (list.key[node] >= key) break;
            before = node;
            next = behind;
        }
        if (!lost) return next >> 1;
    }
}

// assumed: put_in_order
// The link before is what was found there, and it has no mark.
extern "C" __global__ void put_in_order(List list, const int *keys, int *there) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, before;
    int key = keys[mine];
    list.key[mine] = key;
    for (;;) {
        unsigned node = find(list, 0, key, before);
        if (node && list.key[node] == key) { there[mine] = 1; return; }
        *(volatile unsigned *)&list.link[mine] = node << 1;
        __threadfence();
        if (atomicCAS(&list.link[before], node << 1, mine << 1) == node << 1) return;
    }
}

// assumed: take_in_order
// Who deletes sets the mark where a link leads, never where a walk begins.
extern "C" __global__ void take_in_order(List list, unsigned lists, const int *keys, int *taken) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x, before;
    int key = keys[number];
    for (;;) {
        unsigned first = number % lists, node = find(list, first, key, before);
        if (!node || list.key[node] != key) return;
        unsigned behind = look(&list.link[node]);
        if (behind & 1) continue;
        if (atomicCAS(&list.link[node], behind, behind | 1) != behind) continue;
        atomicCAS(&list.link[before], node << 1, behind);
        taken[number] = 1;
        return;
    }
}

// assumed: put_in_order_past_marks
// A walk over marked nodes remembers the last node without a mark, with what was read there; all behind it are unlinked at once.
extern "C" __global__ void put_in_order_past_marks(List list, const int *keys) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int key = keys[mine];
    list.key[mine] = key;
    for (;;) {
        unsigned before = 0, link = look(list.link), next = link, node = link >> 1;
        while (node) {
            unsigned behind = look(&list.link[node]);
            if (!(behind & 1)) {
                if (list.key[node] >= key) break;
                before = node;
                link = behind;
            }
            next = behind;
            node = behind >> 1;
        }
        if (link >> 1 != node && atomicCAS(&list.link[before], link, next & ~1u) != link) continue;
        *(volatile unsigned *)&list.link[mine] = node << 1;
        __threadfence();
        if (atomicCAS(&list.link[before], node << 1, mine << 1) == node << 1) return;
    }
}
