// Loops that wait for others although something in them moves on.

__device__ volatile int here, there, flag, polls_seen;
__device__ unsigned polls, bits, ticket_word, versions;
__device__ volatile int ring[4], next_of[8];
__device__ volatile unsigned owner_of[64];
struct Node { int locked; int key; Node *next; };
__device__ Node *volatile first_node;

// found: announced_and_taken_back
// Each side says that it wants to go on, and takes that back where the other one has said so too.
extern "C" __global__ void announced_and_taken_back(int *b) {
    bool left = threadIdx.x & 1;
    for (;;) {
        if (left) here = 1; else there = 1;
        __threadfence();
        if ((left ? there : here) == 0) break;
        if (left) here = 0; else there = 0;
        __threadfence();
    }
    atomicAdd(b, 1);
    if (left) here = 0; else there = 0;
}

// found: polls_counted
// What is counted in each round decides on nothing.
extern "C" __global__ void polls_counted(int *b) {
    if (threadIdx.x != 0) {
        while (flag == 0) {
            if (atomicAdd(&polls, 1) > 1000) polls_seen = 1;
        }
        atomicAdd(b, 1);
    } else {
        flag = 1;
    }
}

// found: ring_polled
// Goes round four flags until one is set.
extern "C" __global__ void ring_polled(int *b) {
    if (threadIdx.x != 0) {
        int i = threadIdx.x & 3;
        while (ring[i] == 0) i = (i + 1) & 3;
        atomicAdd(b, 1);
    } else {
        ring[b[0] & 3] = 1;
    }
}

// found: links_polled
// Follows links in a circle until a flag is set; nobody looks at the links.
extern "C" __global__ void links_polled(int *b) {
    if (threadIdx.x != 0) {
        int i = threadIdx.x & 7;
        while (ring[i & 3] == 0) i = next_of[i];
        b[threadIdx.x] = i;
    } else {
        ring[b[0] & 3] = 1;
    }
}

// found: walk_begun_again
// Walks a list, and begins again where a node is locked.
extern "C" __global__ void walk_begun_again(int *b, int key) {
    Node *node = first_node;
    if (threadIdx.x != 0) {
        while (node && node->key != key) {
            if (*(volatile int *)&node->locked) node = first_node;
            else node = node->next;
        }
        atomicAdd(b, 1);
    } else {
        *(volatile int *)&node->locked = 0;
    }
}

// found: compared_with_what_was
// What is compared with was read once, before the loop.
extern "C" __global__ void compared_with_what_was(int *b) {
    if (threadIdx.x != 0) {
        unsigned old = *(volatile unsigned *)&ticket_word;
        while (atomicCAS(&ticket_word, old + 1, old + 2) != old + 1) {}
        atomicAdd(b, 1);
    } else {
        atomicAdd(&ticket_word, 1);
    }
}

// found: lowest_bit
// The bit of the lock is cleared in what is compared with.
extern "C" __global__ void lowest_bit(int *b) {
    unsigned old;
    do {
        old = *(volatile unsigned *)&bits & ~1u;
    } while (atomicCAS(&bits, old, old | 1) != old);
    b[0] += 1;
    __threadfence();
    atomicAnd(&bits, ~1u);
}

// found: counter_begun_again
// A counter that begins again at its end.
extern "C" __global__ void counter_begun_again(int *b, int n) {
    if (threadIdx.x != 0) {
        for (int i = 0; ring[i & 3] == 0; ++i) if (i >= n) i = 0;
        atomicAdd(b, 1);
    } else {
        ring[b[0] & 3] = 1;
    }
}

// found: own_place_in_turn
// Compares and swaps the place that it was told of, until that holds its number.
extern "C" __global__ void own_place_in_turn(int *b) {
    unsigned mine = atomicAdd(&versions, 1);
    while (atomicCAS((unsigned *)&owner_of[mine & 63], mine, mine + 64) != mine) {}
    atomicAdd(b, 1);
    __threadfence();
    owner_of[(mine + 1) & 63] = mine + 1;
}

// found: version_changed_in_each_round
// Changes a word in each round, and waits for another one.
extern "C" __global__ void version_changed_in_each_round(int *b) {
    if (threadIdx.x != 0) {
        do {
            unsigned seen = *(volatile unsigned *)&versions;
            atomicCAS(&versions, seen, seen + 1);
        } while (flag == 0);
        atomicAdd(b, 1);
    } else {
        flag = 1;
    }
}

// found: version_changed_and_looked_at
// The same, and it looks whether it was the one that changed the word.
extern "C" __global__ void version_changed_and_looked_at(int *b) {
    if (threadIdx.x != 0) {
        while (flag == 0) {
            unsigned seen = *(volatile unsigned *)&versions;
            if (atomicCAS(&versions, seen, seen + 1) != seen) polls_seen = 1;
        }
        atomicAdd(b, 1);
    } else {
        flag = 1;
    }
}

// found: bit_set_and_cleared
// Sets a bit and clears it again, for as long as a flag is not set.
extern "C" __global__ void bit_set_and_cleared(int *b) {
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned seen = *(volatile unsigned *)&bits;
            if (seen & 4) {
                atomicCAS(&bits, seen, seen ^ 4);
                continue;
            }
            if (flag) break;
            atomicCAS(&bits, seen, seen | 4);
        }
        atomicAdd(b, 1);
    } else {
        flag = 1;
    }
}

// found: waiting_bit
// Who finds the lock taken sets the bit that says that somebody waits.
extern "C" __global__ void waiting_bit(int *b) {
    for (;;) {
        unsigned seen = *(volatile unsigned *)&ticket_word;
        if (seen & 1) {
            atomicCAS(&ticket_word, seen, seen | 2);
            continue;
        }
        if (atomicCAS(&ticket_word, seen, 1) == seen) break;
    }
    b[0] += 1;
    __threadfence();
    atomicExch(&ticket_word, 0);
}

// found: laps_counted
// Follows links, and counts how often it comes by the first one; a flag alone ends that.
extern "C" __global__ void laps_counted(int *b) {
    if (threadIdx.x != 0) {
        int i = 0, laps = 0;
        while (flag == 0) {
            i = next_of[i];
            if (i == 0) ++laps;
        }
        b[threadIdx.x] = laps >= 0;
    } else {
        flag = 1;
    }
}

// found: looked_up_meanwhile
// Looks up one word after the other, which nobody writes, while it waits.
extern "C" __global__ void looked_up_meanwhile(int *b, const int *table) {
    if (threadIdx.x != 0) {
        int i = threadIdx.x, odd = 0;
        while (flag == 0) {
            i = (5 * i + 1) & 63;
            if (((const volatile int *)table)[i] & 1) odd = 1;
        }
        b[threadIdx.x] = odd;
    } else {
        flag = 1;
    }
}

// found: queue_emptied_first
// Takes what is in a stack, and then waits for the flag.
extern "C" __global__ void queue_emptied_first(int *b) {
    if (threadIdx.x != 0) {
        for (;;) {
            unsigned top = *(volatile unsigned *)&ticket_word;
            if (top > 0) {
                if (atomicCAS(&ticket_word, top, top - 1) == top) b[top & 63] = 1;
                continue;
            }
            if (flag) break;
        }
    } else {
        flag = 1;
    }
}

// found: link_and_flag
// What it follows decides together with a word that somebody else writes.
extern "C" __global__ void link_and_flag(int *b) {
    int at = 2, seen = 2;
    if (threadIdx.x != 0) {
        do {
            seen = *(volatile int *)&flag;
            atomicMax(&b[1], 1);
            at = ((volatile int *)b)[at & 7];
        } while ((at & seen) < 2);
    } else {
        *(volatile int *)&flag = 2;
        ((volatile int *)b)[2] = 2;
    }
    b[threadIdx.x + 128] = at + seen;
}

// found: link_to_a_number
// What it follows in a ring is compared with a number that another lane writes.
extern "C" __global__ void link_to_a_number(int *b) {
    int at = 0;
    if (threadIdx.x < 8) b[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x % 32 != 0) {
        while (at < 4) {
            at = ((volatile int *)b)[at & 7];
            at = atomicCAS(&b[at & 7], 7, 1);
        }
    } else {
        atomicSub(&b[3], 4);
        ((volatile int *)b)[0] = 1;
    }
    b[threadIdx.x + 128] = at;
}

// found: flags_in_order
// Counts on where the flag of the lane before is set.
extern "C" __global__ void flags_in_order(volatile int *b) {
    int t = threadIdx.x, j = 0;
    while (j < t) if (b[j]) ++j;
    b[t] = 1;
}

// found: flags_added
// Adds the flag itself to the count.
extern "C" __global__ void flags_added(volatile int *b) {
    int t = threadIdx.x, j = 0;
    while (j < t) j += b[j];
    b[t] = 1;
}

// found: pointer_or_stay
// Stays where it is while there is no link yet.
extern "C" __global__ void pointer_or_stay(volatile int *b) {
    int t = threadIdx.x, p = 0;
    while (p != t) {
        int q = b[p];
        p = q ? q : p;
    }
    b[t] = t + 1;
}

// found: furthest_link
// The same by a maximum.
extern "C" __global__ void furthest_link(volatile int *b) {
    int t = threadIdx.x, p = 0;
    while (p < t) p = max(p, b[p]);
    b[t] = t + 1;
}

// found: compared_elsewhere
// Compares and swaps at a place that is chosen by what it wants to find there.
extern "C" __global__ void compared_elsewhere(int *b) {
    for (;;) {
        int o = ((volatile int *)b)[0];
        if (atomicCAS(&b[o & 7], o, 1) == o) break;
    }
    __threadfence();
    atomicXor(&b[2], 7);
    ((volatile int *)b)[1] = 1;
}

// found: swapped_for_itself
// The link is followed until it is what another word is, which a lane behind the loop writes.
extern "C" __global__ void swapped_for_itself(int *b) {
    int o = 0;
    if (threadIdx.x < 8) b[threadIdx.x] = (threadIdx.x + 1) & 7;
    __syncthreads();
    if (threadIdx.x % 32 != 31) {
        do o = ((volatile int *)b)[(o + 1) & 7]; while (atomicCAS(&b[0], o, o) != o);
    } else {
        ((volatile int *)b)[0] = 2;
    }
    b[threadIdx.x + 128] = o;
}

// found: locked_root
// The root of a set refers to itself; a bit of it is its lock. Who finds it held goes there again.
extern "C" __global__ void locked_root(int *parents, const int *items, int *sum, int *out) {
    const int held = 1 << 30;
    int item = items[threadIdx.x], root;
    for (;;) {
        root = item;
        int next;
        while ((next = *(volatile int *)&parents[root] & ~held) != root) root = next;
        if (atomicCAS(&parents[root], root, root | held) == root) break;
    }
    out[threadIdx.x] = root;
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(&parents[root], root);
}

// found: flags_in_a_row
// What is read says whether a lane goes on to the next word or stays, by one bit.
extern "C" __global__ void flags_in_a_row(int *words, int *out) {
    int at = 0, word;
    while ((word = *(volatile int *)&words[at]) != 2) at += word & 1;
    out[threadIdx.x] = at;
    for (int i = 0; i < 8; ++i) *(volatile int *)&words[i] = 1 + (i == 7);
}

// assumed: past_marked_links
// A list whose links have a mark: which of them are marked is compared as a truth value.
extern "C" __global__ void past_marked_links(unsigned long long *links, const int *keys, int *out, int key) {
    unsigned long long at = links[threadIdx.x];
    bool seen = false, gone;
    do {
        unsigned long long next = *(volatile unsigned long long *)at;
        gone = next & 1;
        if (gone == seen && keys[at & 63] >= key) break;
        at = next & ~1ull;
    } while (at != 0);
    out[threadIdx.x] = (int)at;
}

// found: until_a_mark_is_gone
// The same comparison, of a word that stays where it is.
extern "C" __global__ void until_a_mark_is_gone(unsigned long long *link, int *out, int wanted) {
    bool seen = wanted != 0, gone;
    do {
        gone = *(volatile unsigned long long *)link & 1;
    } while (gone != seen);
    out[threadIdx.x] = 1;
    *(volatile unsigned long long *)link ^= 1;
}
