// Loops that look lock-free and wait: what ends them is stored by another lane behind its own loop.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part.

typedef unsigned long long Word;

__device__ unsigned bit_word, bit_sum, shared_counter, gate, slot_ring[8], slot_head, slot_tail;
__device__ unsigned semaphore_count = 4, permits_bitmap, pool_bitmap, marked_word, tag_lock, max_lock, reader_word;
__device__ Word packed_owner, version_word;
__device__ unsigned sequence, sequence_data, ticket_next, ticket_now, full_table[4], stack_top = 1, stack_link[8];
__device__ unsigned relay_cells[256], order_word, inc_lock, double_flag, ring_sequence[4] = {0, 1, 2, 3}, ring_put, pair_slot, clh_tail, clh_cells[256] = {0};
__device__ unsigned mcs_tail, mcs_next[256], mcs_wait[256], swap_lock, hidden_lock, free_top = 2, free_link[4] = {0, 0, 1, 2}, min_lock = 9, sub_lock = 1;
__device__ unsigned left_right_readers[2], left_right_side, left_right_lock, hole_cells[256], hole_tail, counted_users, table_lock[16], tree_child[64], epoch_word, epoch_active;

// found: bit_lock
// A lock hidden in bit 0 of a counter: compare and swap of what was read, but without the bit.
extern "C" __global__ void bit_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned old;
    do {
        old = *(volatile unsigned *)&bit_word & ~1u;
    } while (atomicCAS(&bit_word, old, old | 1) != old);
    unsigned sum = *(volatile unsigned *)&bit_sum;
    *(volatile unsigned *)&bit_sum = sum + 1;
    __threadfence();
    atomicExch(&bit_word, old + 2);
    atomicAdd(b, 1);
}

// found: marked_bit
// The same with atomic or: the bit that was set before means that somebody else is in.
extern "C" __global__ void marked_bit(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    while (atomicOr(&marked_word, 0x80000000u) & 0x80000000u) {}
    unsigned count = atomicAdd(&marked_word, 1);
    __threadfence();
    atomicAnd(&marked_word, 0x7fffffffu);
    atomicAdd(b, count >= 0x80000000u);
}

// found: semaphore
// Counting semaphore: compare and swap of what was just read, but zero means to read again.
extern "C" __global__ void semaphore(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (;;) {
        unsigned left = *(volatile unsigned *)&semaphore_count;
        if (left == 0) continue;
        if (atomicCAS(&semaphore_count, left, left - 1) == left) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicAdd(&semaphore_count, 1);
}

// found: pool_of_four
// Bit map with four places: a full map is read again until a lane gives its place back.
extern "C" __global__ void pool_of_four(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned bit = 0;
    for (;;) {
        unsigned used = *(volatile unsigned *)&pool_bitmap;
        if ((used & 15) == 15) continue;
        bit = ~used & (used + 1);
        if (atomicCAS(&pool_bitmap, used, used | bit) == used) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicAnd(&pool_bitmap, ~bit);
}

// found: wait_for_room
// A table of four slots: the probe goes round until a slot is free, lanes free their slots behind the loop.
extern "C" __global__ void wait_for_room(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned slot = threadIdx.x & 3;
    while (atomicCAS(&full_table[slot], 0, threadIdx.x + 1) != 0) slot = (slot + 1) & 3;
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&full_table[slot], 0);
}

// found: maximum_lock
// A lock by atomicMax: the old maximum was 0 for the lane that is in.
extern "C" __global__ void maximum_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    while (atomicMax(&max_lock, threadIdx.x + 1) != 0) {}
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&max_lock, 0);
}

// found: minimum_lock
// A lock by atomicMin: 9 is free, 0 is taken.
extern "C" __global__ void minimum_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    while (atomicMin(&min_lock, 0) != 9) {}
    atomicAdd(b, 1);
    __threadfence();
    atomicMax(&min_lock, 9);
}

// found: increment_lock
// A lock by atomicInc, which stays at its limit: 0 was read by the lane that is in.
extern "C" __global__ void increment_lock(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    for (;;) {
        unsigned old = atomicAdd(&inc_lock, 0);
        if (old != 0) continue;
        if (atomicInc(&inc_lock, 1000) == 0) break;
        atomicDec(&inc_lock, 1000);
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicDec(&inc_lock, 1000);
}

// found: owner_in_pair
// Owner and count in one word of 64 bits: compare and swap of what was read as long as there is no owner.
extern "C" __global__ void owner_in_pair(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Word me = threadIdx.x + 1, old = *(volatile Word *)&packed_owner;
    for (;;) {
        if ((unsigned)old != 0) {
            old = *(volatile Word *)&packed_owner;
            continue;
        }
        Word seen = atomicCAS(&packed_owner, old, old | me);
        if (seen == old) break;
        old = seen;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&packed_owner, (old >> 32) + 1 << 32);
}

// found: seqlock_writer
// Writers of a sequence lock: an even number is made odd by compare and swap, and even again behind the loop.
extern "C" __global__ void seqlock_writer(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned even;
    do {
        even = *(volatile unsigned *)&sequence;
    } while ((even & 1) || atomicCAS(&sequence, even, even + 1) != even);
    unsigned value = *(volatile unsigned *)&sequence_data;
    *(volatile unsigned *)&sequence_data = value + 1;
    __threadfence();
    atomicExch(&sequence, even + 2);
    atomicAdd(b, 1);
}

// found: seqlock_reader
// Readers of a sequence lock: an odd number means that the writer, lane 0, is not through.
__device__ unsigned reader_sequence = 1, reader_x, reader_y;
extern "C" __global__ void seqlock_reader(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x != 0) {
        unsigned before, after, x, y;
        do {
            before = atomicAdd(&reader_sequence, 0);
            x = atomicAdd(&reader_x, 0);
            y = atomicAdd(&reader_y, 0);
            __threadfence();
            after = atomicAdd(&reader_sequence, 0);
        } while (before != after || (before & 1) != 0);
        atomicAdd(b, x + y);
    } else {
        atomicExch(&reader_x, 3);
        atomicExch(&reader_y, 4);
        __threadfence();
        atomicAdd(&reader_sequence, 1);
    }
}

// found: ticket_turn
// Fetch and add gives a ticket, the loop waits for its turn.
extern "C" __global__ void ticket_turn(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned ticket = atomicAdd(&ticket_next, 1);
    while (*(volatile unsigned *)&ticket_now != ticket) {}
    unsigned count = *(volatile unsigned *)&shared_counter;
    *(volatile unsigned *)&shared_counter = count + 1;
    __threadfence();
    atomicExch(&ticket_now, ticket + 1);
    atomicAdd(b, 1);
}

// found: take_and_put_back
// Exchanges the top of a free list for a mark, a lane that got the mark tries again; the list comes back behind the loop.
extern "C" __global__ void take_and_put_back(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned top;
    while ((top = atomicExch(&stack_top, 0xffffffffu)) == 0xffffffffu) {}
    atomicAdd(b, top);
    __threadfence();
    atomicExch(&stack_top, top);
}

// found: free_list_empty
// Treiber's pop from a free list of two nodes, which reads again while the list is empty; nodes are pushed back behind the loop.
extern "C" __global__ void free_list_empty(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned node, old;
    for (;;) {
        node = atomicExch(&free_top, 0);
        if (node != 0) break;
    }
    unsigned rest = node;
    atomicAdd(b, 1);
    __threadfence();
    do {
        old = atomicAdd(&free_top, 0);
    } while (atomicCAS(&free_top, old, rest) != old);
}

// found: fill_first
// Fetch and add gives a cell each to a producer and a consumer; the consumer's cell must be filled first.
extern "C" __global__ void fill_first(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x & 1) {
        unsigned place = atomicAdd(&slot_head, 1) & 255, value;
        while ((value = atomicExch(&relay_cells[place], 0)) == 0) {}
        atomicAdd(b, value);
    } else {
        unsigned place = atomicAdd(&slot_tail, 1) & 255;
        atomicExch(&relay_cells[place], 7);
    }
}

// found: ring_full
// Vyukov's bounded queue of four cells, a put that waits while the ring is full, and a take behind it.
extern "C" __global__ void ring_full(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned place = atomicAdd(&ring_put, 0);
    for (;;) {
        unsigned turn = atomicAdd(&ring_sequence[place & 3], 0);
        if (turn == place) {
            unsigned seen = atomicCAS(&ring_put, place, place + 1);
            if (seen == place) break;
            place = seen;
        } else {
            place = atomicAdd(&ring_put, 0);
        }
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&ring_sequence[place & 3], place + 4);
}

// found: hole_in_order
// Lanes publish cells in order: each waits until the cell before its own has been published.
extern "C" __global__ void hole_in_order(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned place = atomicAdd(&hole_tail, 1);
    while (atomicCAS(&order_word, place, place) != place) {}
    hole_cells[place & 255] = place;
    __threadfence();
    atomicCAS(&order_word, place, place + 1);
    atomicAdd(b, 1);
}

// found: hidden_in_method
// A class whose method is called try but goes round until it has the lock.
struct Guard {
    unsigned *word;
    __device__ bool try_claim(unsigned me) { return atomicCAS(word, 0, me) == 0; }
    __device__ void claim(unsigned me) { while (!try_claim(me)) __nanosleep(20); }
    __device__ void release() { __threadfence(); atomicExch(word, 0); }
};
extern "C" __global__ void hidden_in_method(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Guard guard = {&hidden_lock};
    guard.claim(threadIdx.x + 1);
    atomicAdd(b, 1);
    guard.release();
}

// found: clh_queue
// CLH lock: an exchange gives the cell of the one before, whose flag is cleared when that one is through.
extern "C" __global__ void clh_queue(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n || n > 255) return;
    unsigned mine = threadIdx.x + 1;
    atomicExch(&clh_cells[mine], 1);
    __threadfence();
    unsigned before = atomicExch(&clh_tail, mine);
    while (atomicAdd(&clh_cells[before], 0) != 0) {}
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&clh_cells[mine], 0);
}

// found: mcs_queue
// MCS lock: the one before clears my flag; one that leaves may have to wait until its successor has linked itself.
extern "C" __global__ void mcs_queue(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n || n > 255) return;
    unsigned mine = threadIdx.x + 1;
    atomicExch(&mcs_wait[mine], 1);
    unsigned before = atomicExch(&mcs_tail, mine);
    if (before != 0) {
        atomicExch(&mcs_next[before], mine);
        while (atomicAdd(&mcs_wait[mine], 0) != 0) {}
    }
    atomicAdd(b, 1);
    __threadfence();
    if (atomicCAS(&mcs_tail, mine, 0) != mine) {
        unsigned after;
        while ((after = atomicAdd(&mcs_next[mine], 0)) == 0) {}
        atomicExch(&mcs_wait[after], 0);
    }
}

// found: last_reader
// Readers and a writer: the writer, lane 0, sets a bit and waits until the count of readers beside it is zero.
extern "C" __global__ void last_reader(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    atomicAdd(&reader_word, 2);
    __syncwarp();
    if (threadIdx.x == 0) {
        atomicSub(&reader_word, 1);
        while (atomicAdd(&reader_word, 0) != 1) {}
        atomicAdd(b, 100);
    } else {
        atomicAdd(b, 1);
        __threadfence();
        atomicSub(&reader_word, 2);
    }
}

// found: left_right_writer
// Left-right: the writer turns the side, then waits until the readers of the other side have left.
extern "C" __global__ void left_right_writer(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned side = atomicAdd(&left_right_side, 0) & 1;
    atomicAdd(&left_right_readers[side], 1);
    if (threadIdx.x == 5) {
        atomicXor(&left_right_side, 1);
        atomicSub(&left_right_readers[side], 1);
        while (atomicAdd(&left_right_readers[side], 0) != 0) {}
        atomicAdd(b, 100);
    } else {
        atomicAdd(b, 1);
        __threadfence();
        atomicSub(&left_right_readers[side], 1);
    }
}

// found: exchange_partner
// A slot for two: the first comer puts its number in and waits until the second has taken it.
extern "C" __global__ void exchange_partner(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= (n & ~1)) return;
    unsigned me = threadIdx.x + 1;
    for (bool done = false; !done;) {
        unsigned other = atomicCAS(&pair_slot, 0, me);
        if (other == 0) {
            while (atomicAdd(&pair_slot, 0) == me) {}
            done = true;
        } else if (atomicCAS(&pair_slot, other, 0) == other) {
            done = true;
        }
    }
    atomicAdd(b, 1);
}

// found: locked_tree_child
// Barnes-Hut's insertion: a child that is being split holds a mark, and the others read it again.
extern "C" __global__ void locked_tree_child(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned at = threadIdx.x & 3, child;
    for (;;) {
        child = *(volatile unsigned *)&tree_child[at];
        if (child == 0xffffffffu) continue;
        if (atomicCAS(&tree_child[at], child, 0xffffffffu) == child) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&tree_child[at], child + 1);
}

// found: epoch_advance
// Epochs: lane 0 waits until all who entered the old epoch have left.
extern "C" __global__ void epoch_advance(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    atomicAdd(&epoch_active, 1);
    if (threadIdx.x == 0) {
        while (atomicCAS(&epoch_active, 1, 1) != 1) {}
        atomicAdd(&epoch_word, 1);
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicSub(&epoch_active, 1);
}

// found: swap_of_constant
// Compare and swap of a constant that looks like a claim: only the lane that wrote 2 brings 1 back.
extern "C" __global__ void swap_of_constant(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    if (threadIdx.x == 0) atomicCAS(&swap_lock, 0, 1);
    unsigned seen;
    do {
        seen = atomicCAS(&swap_lock, 1, 2);
    } while (seen != 1);
    atomicAdd(b, 1);
    __threadfence();
    atomicCAS(&swap_lock, 2, 1);
}

// found: stable_and_free
// Reads until two reads agree and the value is even, as a snapshot that waits; the value is made even behind the loop.
extern "C" __global__ void stable_and_free(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    unsigned x;
    for (;;) {
        x = *(volatile unsigned *)&double_flag;
        if (x != *(volatile unsigned *)&double_flag) continue;
        if (x & 1) continue;
        if (atomicCAS(&double_flag, x, x + 1) == x) break;
    }
    atomicAdd(b, 1);
    __threadfence();
    atomicAdd(&double_flag, 1);
}

// found: hidden_lock_in_version
// A version word of 64 bits whose top bit is a lock; readers of the version wait for it, then swap.
extern "C" __global__ void hidden_lock_in_version(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    if (threadIdx.x >= n) return;
    Word old;
    while ((long long)(old = *(volatile Word *)&version_word) < 0 || atomicCAS(&version_word, old, old | 1ull << 63) != old) {}
    atomicAdd(b, 1);
    __threadfence();
    atomicExch(&version_word, old + 1);
}
