// Waits that look like helping, like rings, and like counting, and some that wait for nobody.

struct Slot { unsigned number; int value; };

// found: helped_next_to_it
// What is swapped is the word behind the lock, as the lock says: who holds that has to go on.
extern "C" __global__ void helped_next_to_it(unsigned *words) {
    unsigned word;
    for (;;) {
        word = *(volatile unsigned *)words;
        if (word & 1) {
            atomicCAS(&words[(word >> 1) + 1], word, word - 1);
            continue;
        }
        if (atomicCAS(words, word, threadIdx.x << 1 | 1) == word) break;
    }
    __threadfence();
    *(volatile unsigned *)words = threadIdx.x << 1;
}

// found: helped_in_turn
// The same with a turn that others are given.
extern "C" __global__ void helped_in_turn(unsigned *words) {
    unsigned word;
    while (((word = *(volatile unsigned *)words) & 7) != (threadIdx.x & 7)) atomicCAS(&words[1 + (word >> 3)], word, word + 8);
    __threadfence();
    atomicAdd(words, 1);
}

// found: waiters_counted_in_the_lock
// Who waits counts himself in the word of the lock, above the bit that says that it is held.
extern "C" __global__ void waiters_counted_in_the_lock(unsigned *lock, int *sum) {
    unsigned word;
    for (;;) {
        word = *(volatile unsigned *)lock;
        if (word & 1) {
            atomicCAS(lock, word, word + 4);
            continue;
        }
        if (atomicCAS(lock, word, word | 1) == word) break;
    }
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicAnd(lock, ~1u);
}

// found: waiters_counted_below_the_bit
// The bit of the lock is the highest one, and is set anew with each count.
extern "C" __global__ void waiters_counted_below_the_bit(unsigned *lock, int *sum) {
    unsigned word;
    for (;;) {
        word = *(volatile unsigned *)lock;
        if ((int)word < 0) {
            atomicCAS(lock, word, ((word + 1) & 0xff) | 0x80000000u);
            continue;
        }
        if (atomicCAS(lock, word, word | 0x80000000u) == word) break;
    }
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicAnd(lock, 0x7fffffffu);
}

// found: other_bit_turned
// Who waits turns another bit of the word.
extern "C" __global__ void other_bit_turned(unsigned *lock, int *sum) {
    unsigned word;
    for (;;) {
        word = *(volatile unsigned *)lock;
        if (word & 1) {
            atomicCAS(lock, word, word ^ 2);
            continue;
        }
        if (atomicCAS(lock, word, word | 1) == word) break;
    }
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicAnd(lock, ~1u);
}

// found: last_waiter_noted
// Who waits leaves his number in the word.
extern "C" __global__ void last_waiter_noted(unsigned *lock, int *sum) {
    unsigned word;
    for (;;) {
        word = *(volatile unsigned *)lock;
        if (word & 1) {
            atomicCAS(lock, word, (word & 0xff) | threadIdx.x << 8);
            continue;
        }
        if (atomicCAS(lock, word, word | 1) == word) break;
    }
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicAnd(lock, ~1u);
}

// assumed: ring_that_says_full
// A slot of which the number is ahead of the tail: others have moved that on.
extern "C" __global__ void ring_that_says_full(Slot *slots, unsigned *tail, unsigned mask, const int *values, int *out) {
    unsigned at;
    for (;;) {
        at = *(volatile unsigned *)tail;
        int ahead = (int)(*(volatile unsigned *)&slots[at & mask].number - at);
        if (ahead < 0) {
            out[threadIdx.x] = -1;
            return;
        }
        if (ahead == 0 && atomicCAS(tail, at, at + 1) == at) break;
    }
    slots[at & mask].value = values[threadIdx.x];
    __threadfence();
    *(volatile unsigned *)&slots[at & mask].number = at + 1;
}

// found: ring_that_waits_when_full
// Here a lane waits until there is room, which another one makes behind the loop.
extern "C" __global__ void ring_that_waits_when_full(Slot *slots, unsigned *tail, unsigned mask, const int *values, int *out) {
    unsigned at;
    for (;;) {
        at = *(volatile unsigned *)tail;
        int behind = (int)(at - *(volatile unsigned *)&slots[at & mask].number);
        if (behind < 0) {
            out[threadIdx.x] = -1;
            return;
        }
        if (behind == 0 && atomicCAS(tail, at, at + 1) == at) break;
    }
    slots[at & mask].value = values[threadIdx.x];
    __threadfence();
    *(volatile unsigned *)&slots[(at + 1) & mask].number = at + 1;
}

// found: ring_claimed_by_its_slots
// A slot is claimed by its number; who has claimed it moves the tail on behind the loop.
extern "C" __global__ void ring_claimed_by_its_slots(Slot *slots, unsigned *tail, unsigned mask, const int *values, int *out) {
    unsigned at;
    for (;;) {
        at = *(volatile unsigned *)tail;
        int ahead = (int)(*(volatile unsigned *)&slots[at & mask].number - at);
        if (ahead < 0) {
            out[threadIdx.x] = -1;
            return;
        }
        if (ahead == 0 && atomicCAS(&slots[at & mask].number, at, at + 1) == at) break;
    }
    slots[at & mask].value = values[threadIdx.x];
    __threadfence();
    *(volatile unsigned *)tail = at + 1;
}

// found: ring_claimed_in_two_ways
// Some lanes claim a slot by the tail, the others by its number, and move the tail on behind the loop.
extern "C" __global__ void ring_claimed_in_two_ways(Slot *slots, unsigned *tail, unsigned mask, const int *values, int *out) {
    unsigned at;
    bool by_tail = threadIdx.x & 1;
    for (;;) {
        at = *(volatile unsigned *)tail;
        int ahead = (int)(*(volatile unsigned *)&slots[at & mask].number - at);
        if (ahead < 0) {
            out[threadIdx.x] = -1;
            return;
        }
        if (ahead != 0) continue;
        if (by_tail ? atomicCAS(tail, at, at + 1) == at : atomicCAS(&slots[at & mask].number, at, at + 1) == at) break;
    }
    slots[at & mask].value = values[threadIdx.x];
    __threadfence();
    if (by_tail) *(volatile unsigned *)&slots[at & mask].number = at + 1;
    else *(volatile unsigned *)tail = at + 1;
}

// found: nodes_behind_their_pool
// Goes round two nodes, as their keys say, until their marks are set, by the pool that they come from.
struct Node { Node *left, *right; unsigned key, mark; };
extern "C" __global__ void nodes_behind_their_pool(Node *pool) {
    unsigned t = threadIdx.x;
    pool[t].left = pool[t].right = &pool[(t + 1) & 1];
    pool[t].key = t;
    pool[t].mark = 0;
    __syncthreads();
    volatile Node *at = pool;
    while (at->mark < t) at = t < at->key ? at->left : at->right;
    __threadfence();
    pool[0].mark = t + 1;
    pool[1].mark = t + 1;
}

// found: tries_of_two_sizes
// A thousand million tries, one or two at a time, as another word says.
extern "C" __global__ void tries_of_two_sizes(volatile unsigned *turn, unsigned *out) {
    unsigned tries = 0;
    while (tries < 1000000000u && turn[0] < threadIdx.x) tries += turn[1] == 7 ? 1 : 2;
    out[threadIdx.x] = tries;
    __threadfence();
    turn[0] = threadIdx.x + 1;
}

// found: end_that_goes_along
// The end of the count is one more than the count, until the flag is set.
extern "C" __global__ void end_that_goes_along(volatile unsigned *turn, unsigned *out) {
    unsigned count = 0, end = 1;
    while (count < end) {
        ++count;
        end = turn[0] == threadIdx.x ? count : count + 1;
    }
    out[threadIdx.x] = count;
    __threadfence();
    turn[0] = threadIdx.x + 1;
}

// found: tries_counted_in_memory
// The tries are counted in a word of one's own.
extern "C" __global__ void tries_counted_in_memory(volatile unsigned *turn, volatile unsigned *tries) {
    unsigned before;
    do {
        before = tries[threadIdx.x];
        tries[threadIdx.x] = before + 1;
    } while (turn[0] != threadIdx.x && before < 0xfffffff0u);
    __threadfence();
    turn[0] = threadIdx.x + 1;
}

// nothing: steps_of_two_sizes
// A search of which the end is near.
extern "C" __global__ void steps_of_two_sizes(volatile unsigned *words, unsigned *out) {
    unsigned at = 0;
    while (at < 64 && words[at] != 0) at += words[at] == 7 ? 1 : 2;
    out[threadIdx.x] = at;
    words[threadIdx.x] = 0;
}

// found: lock_in_a_ring_of_links
// Each link has a bit that locks it; who finds it locked follows it to the next one, round and round.
extern "C" __global__ void lock_in_a_ring_of_links(unsigned *links, int *sums) {
    unsigned at = threadIdx.x & 3, link;
    for (;;) {
        link = *(volatile unsigned *)&links[at];
        if (!(link & 1) && atomicCAS(&links[at], link, link | 1) == link) break;
        at = link >> 1;
    }
    __threadfence();
    *(volatile int *)&sums[at] += 1;
    __threadfence();
    atomicAnd(&links[at], ~1u);
}
