// Words with a bit that loops wait for: they look like the links of sorted lists, where such a bit says that a node is deleted.
//
// A link is the index of the next node, twice, with the mark in bit 0; node 0 is where a list begins, and no link leads there.

__device__ unsigned done;

struct List {
    unsigned *link;
    int *key;
};

__device__ unsigned look(const unsigned *at) { return *(const volatile unsigned *)at; }

// found: put_behind_marks
// Nobody unlinks a marked node but who has marked it: a node behind that can only be put there when this is done.
extern "C" __global__ void put_behind_marks(List list, const int *keys) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int key = keys[mine];
    for (;;) {
        unsigned before = 0, next = look(list.link);
        while (next >> 1 && list.key[next >> 1] < key) {
            before = next >> 1;
            next = look(&list.link[before]);
        }
        *(volatile unsigned *)&list.link[mine] = next & ~1u;
        __threadfence();
        if (atomicCAS(&list.link[before], next & ~1u, mine << 1) == (next & ~1u)) break;
    }
    unsigned node = look(list.link) >> 1, behind = look(&list.link[node]);
    if (node == mine && atomicCAS(&list.link[node], behind & ~1u, behind | 1) == (behind & ~1u))
        atomicCAS(list.link, node << 1, behind & ~1u);
}

// found: first_link_locked
// The mark is a lock: it is set where others wait for it.
extern "C" __global__ void first_link_locked(unsigned *first, unsigned *sum) {
    unsigned *word = first + blockIdx.x, seen;
    do {
        seen = look(word);
    } while (atomicCAS(word, seen & ~1u, seen | 1) != (seen & ~1u));
    __threadfence();
    sum[blockIdx.x] += seen;
    __threadfence();
    *(volatile unsigned *)word = seen & ~1u;
}

// found: first_link_closed
// Who closes the list sets the bit for good. Who finds it set waits for something else.
extern "C" __global__ void first_link_closed(unsigned *link, unsigned *last) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (mine == 1) {
        atomicOr(&link[*last], 1);
        __threadfence();
        *(volatile unsigned *)&done = 1;
    }
    while (!look(&done)) {
        unsigned first = look(link);
        if (first & 1) continue;
        link[mine] = first;
        __threadfence();
        if (atomicCAS(link, first & ~1u, mine << 1) == (first & ~1u)) break;
    }
}

// found: first_link_closed_by_number
// An index that was read elsewhere is no link of the list.
extern "C" __global__ void first_link_closed_by_number(unsigned *link, const unsigned *numbers, int n) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    while (!look(&done)) {
        unsigned first = look(link);
        if (first & 1) continue;
        link[mine] = first;
        __threadfence();
        if (atomicCAS(link, first & ~1u, mine << 1) == (first & ~1u)) break;
    }
    for (int i = 0; i < n; i++) atomicOr(&link[look(&numbers[i])], 1);
    __threadfence();
    *(volatile unsigned *)&done = 1;
}

// found: first_link_closed_by_a_swap
// The same by a comparison and swap.
extern "C" __global__ void first_link_closed_by_a_swap(unsigned *link) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    while (!look(&done)) {
        unsigned first = look(link);
        if (first & 1) continue;
        link[mine] = first;
        __threadfence();
        if (atomicCAS(link, first & ~1u, mine << 1) == (first & ~1u)) break;
    }
    unsigned first = look(link);
    atomicCAS(link, first, first | 1);
    __threadfence();
    *(volatile unsigned *)&done = 1;
}

// found: first_link_closed_by_table
// A table says which links are closed: not those that lead there.
extern "C" __global__ void first_link_closed_by_table(unsigned *link, const unsigned *table) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    while (!look(&done)) {
        unsigned first = look(link);
        if (first & 1) continue;
        link[mine] = first;
        __threadfence();
        if (atomicCAS(link, first & ~1u, mine << 1) == (first & ~1u)) break;
    }
    for (unsigned node = look(link) >> 1; node; node = look(&link[node]) >> 1) atomicOr(&link[look(&table[node])], 1);
    __threadfence();
    *(volatile unsigned *)&done = 1;
}

// found: bit_that_nobody_writes
// The bit says from the beginning how to go on: where it is set, lanes wait for others.
extern "C" __global__ void bit_that_nobody_writes(const unsigned *mode, unsigned *count) {
    while (!look(&done)) {
        if (look(mode) & 1) continue;
        unsigned seen = look(count);
        if (atomicCAS(count, seen & ~1u, seen + 2) == (seen & ~1u)) break;
    }
    *(volatile unsigned *)&done = 1;
}

// found: links_frozen_and_freed
// Links are frozen, and freed again by an atomic.
extern "C" __global__ void links_frozen_and_freed(unsigned *link) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, first;
    if (mine == 1) {
        for (unsigned node = look(link) >> 1; node; node = look(&link[node]) >> 1) atomicAnd(&link[node], ~1u);
        return;
    }
    do {
        first = look(link);
        link[mine] = first;
        __threadfence();
    } while (atomicCAS(link, first & ~1u, mine << 1) != (first & ~1u));
}

// found: links_freed_by_a_swap
// The same by a comparison and swap that finds the bit set.
extern "C" __global__ void links_freed_by_a_swap(unsigned *link) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, first;
    if (mine == 1) {
        for (unsigned node = look(link) >> 1; node;) {
            unsigned next = look(&link[node]);
            atomicCAS(&link[node], next | 1, next & ~1u);
            node = next >> 1;
        }
        return;
    }
    do {
        first = look(link);
        link[mine] = first;
        __threadfence();
    } while (atomicCAS(link, first & ~1u, mine << 1) != (first & ~1u));
}

// found: first_link_opened
// The list is closed at first. Who opens it finds the bit as it is, and clears it.
extern "C" __global__ void first_link_opened(unsigned *link) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, first;
    if (mine == 1) {
        do {
            first = look(link);
        } while (atomicCAS(link, first, first & ~1u) != first);
        return;
    }
    do {
        first = look(link);
        link[mine] = first;
        __threadfence();
    } while (atomicCAS(link, first & ~1u, mine << 1) != (first & ~1u));
}

// found: first_link_opened_in_turn
// The same with what the last swap has found.
extern "C" __global__ void first_link_opened_in_turn(unsigned *link) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, first;
    if (mine == 1) {
        first = look(link);
        for (unsigned seen; (seen = atomicCAS(link, first, first & ~1u)) != first; first = seen) {}
        return;
    }
    do {
        first = look(link);
        link[mine] = first;
        __threadfence();
    } while (atomicCAS(link, first & ~1u, mine << 1) != (first & ~1u));
}

// found: words_opened_by_stores
// All words but one are closed at first. Each lane adds to another one, and opens its own by a store then.
extern "C" __global__ void words_opened_by_stores(unsigned *word, const unsigned *other) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x, seen;
    unsigned *at = &word[other[mine]];
    do {
        seen = look(at);
    } while (atomicCAS(at, seen & ~1u, (seen & ~1u) + 2) != (seen & ~1u));
    __threadfence();
    *(volatile unsigned *)&word[mine] = mine << 1;
}

// found: first_word_as_it_was
// What is compared was read before the loop, unless the walk comes by a node with an odd key: the lock is free where the word is that again.
extern "C" __global__ void first_word_as_it_was(unsigned *link, const int *key, unsigned *sum) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned was = look(&link[1]), before, next;
    do {
        before = 1;
        next = was;
        bool moved = false;
        for (unsigned node = look(link);;) {
            if (!node) return;
            unsigned behind = look(&link[node]);
            if (moved && key[node] >= key[mine]) break;
            if (key[node] & 1) {
                before = node;
                next = behind;
            }
            moved = true;
            node = behind;
        }
    } while (atomicCAS(&link[before], next, mine) != next);
    sum[before] += mine;
    __threadfence();
    atomicExch(&link[before], next);
}

// found: lock_behind_a_walk
// Each round walks over the list, from the first node on. What is waited for is the lock behind it.
extern "C" __global__ void lock_behind_a_walk(const unsigned *link, unsigned *lock, unsigned *sum) {
    unsigned count;
    do {
        count = 0;
        unsigned node = 0;
        do {
            node = look(&link[node]);
            count++;
        } while (node);
    } while (atomicCAS(lock, 0, 1) != 0);
    *sum += count;
    __threadfence();
    atomicExch(lock, 0);
}

// found: word_that_is_changed_on_the_way
// What is read behind the walk is not what was there before it: the lane has changed that itself, some nodes before the last one.
extern "C" __global__ void word_that_is_changed_on_the_way(unsigned *count, const volatile unsigned *link, unsigned n, unsigned *sum) {
    unsigned all = 0;
    while (!look(&done)) {
        unsigned was = look(count);
        for (unsigned i = 0; i != n; i++) {
            if (i + 3 == n) atomicAdd(count, 1);
            all += link[i];
        }
        if (look(count) == was) break;
    }
    sum[threadIdx.x] = all;
    *(volatile unsigned *)&done = 1;
}

// found: word_of_an_earlier_node
// At some nodes the walk remembers the word of an earlier one. It goes on by two nodes at least from there.
extern "C" __global__ void word_of_an_earlier_node(unsigned *link, const int *key, unsigned *sum) {
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x + 1, before, next;
    for (;;) {
        before = 0;
        next = look(link);
        if (next & 1) return;
        int on = 0;
        for (unsigned node = next >> 1;;) {
            if (!node) return;
            unsigned behind = look(&link[node]);
            if (behind & 1) {
                before = node;
                on = 2;
            } else if (on) {
                on--;
            } else {
                if (key[node] >= key[mine]) break;
                before = node;
                next = behind;
            }
            node = behind >> 1;
        }
        if (atomicCAS(&link[before], (next >> 1) * 2, mine) == (next >> 1) * 2) break;
    }
    sum[before] += mine;
    __threadfence();
    atomicExch(&link[before], next);
}

// nothing: bits_from_the_first_one_on
// A bit that is shifted comes to an end.
extern "C" __global__ void bits_from_the_first_one_on(const volatile unsigned *words, unsigned last, unsigned *out) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned bit = 1; bit != 0 && bit <= last; bit <<= 1) {
        unsigned word = words[number & (2 * bit - 1)];
        if (word == number) break;
        sum += word;
    }
    out[number] = sum;
}

// found: bits_in_a_ring
// A bit that is rotated does not.
extern "C" __global__ void bits_in_a_ring(volatile unsigned *words, unsigned bit) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number && bit != 0 && words[1] == 0; bit = __funnelshift_l(bit, bit, 1)) words[2 + number] = bit;
    if (number == 0) words[1] = 1;
}

// found: signs_to_the_right
// A negative number never becomes 0.
extern "C" __global__ void signs_to_the_right(volatile unsigned *words, int mask) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number && mask != 0 && words[1] == 0; mask >>= 1) words[2 + number] = mask;
    if (number == 0) words[1] = 1;
}

// found: bits_that_are_not_looked_at
// Nothing ends where the bit is gone.
extern "C" __global__ void bits_that_are_not_looked_at(volatile unsigned *words, unsigned bit) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number && words[1] != 0; bit <<= 1) words[2 + number] = bit;
    if (number == 0) words[1] = 0;
}

// found: signs_to_the_left
// The loop goes on where no bit is left.
extern "C" __global__ void signs_to_the_left(volatile unsigned *words, int bit) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number && bit >= 0 && words[1] == 0; bit = (int)((unsigned)bit << 1)) words[2 + number] = bit;
    if (number == 0) words[1] = 1;
}

// found: bits_of_another_number
// What is shifted to the left never becomes 6 if it is odd.
extern "C" __global__ void bits_of_another_number(volatile unsigned *words, unsigned bit) {
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number && bit != 6 && words[1] == 0; bit <<= 1) words[2 + number] = bit;
    if (number == 0) words[1] = 1;
}
