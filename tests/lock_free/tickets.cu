// Queues and searches by tickets, which wait for nobody, and waits in which lanes take numbers as well.

typedef unsigned long long Word;

struct Segment { unsigned taken, given; int next; unsigned item[64]; };
struct Segments { int head, tail; int used, number; Segment *segment; };

// assumed: ring_left_at_its_tail
// Each round takes a slot of the ring. A lane alone comes to the tail, which it does not move.
extern "C" __global__ void ring_left_at_its_tail(unsigned *head, unsigned *tail, unsigned *slots, unsigned mask, unsigned *out) {
    atomicExch(&slots[atomicAdd(tail, 1) & mask], threadIdx.x + 1);
    unsigned value = 0;
    for (;;) {
        unsigned at = atomicAdd(head, 1);
        value = atomicExch(&slots[at & mask], 0);
        if (value != 0) break;
        if (*(volatile unsigned *)tail <= at + 1) break;
    }
    out[threadIdx.x] = value;
}

// assumed: ring_left_when_full
// The distance to the head says that the ring is full. Each round makes it greater.
extern "C" __global__ void ring_left_when_full(unsigned *head, unsigned *tail, unsigned *slots, unsigned size, unsigned *out) {
    unsigned put = 0;
    for (;;) {
        unsigned at = atomicAdd(tail, 1);
        if (atomicCAS(&slots[at % size], 0, threadIdx.x + 1) == 0) {
            put = 1;
            break;
        }
        if ((int)(at - *(volatile unsigned *)head) >= 256) break;
    }
    out[threadIdx.x] = put;
    atomicExch(&slots[atomicAdd(head, 1) % size], 0);
}

// found: ring_waits_for_room
// Takes a slot of the ring in each round, until one is free. In a full ring another lane has to make room.
extern "C" __global__ void ring_waits_for_room(unsigned *head, unsigned *tail, unsigned *slots, unsigned size, unsigned *out) {
    while (atomicCAS(&slots[atomicAdd(tail, 1) % size], 0, threadIdx.x + 1) != 0) {}
    out[threadIdx.x] = atomicExch(&slots[atomicAdd(head, 1) % size], 0);
}

// found: ring_goes_on_when_full
// Goes on as long as the ring is full, which each round makes it more.
extern "C" __global__ void ring_goes_on_when_full(unsigned *head, unsigned *tail, unsigned *slots, unsigned size, unsigned *out) {
    unsigned at;
    do at = atomicAdd(tail, 1);
    while ((int)(at - *(volatile unsigned *)head) >= 256);
    out[threadIdx.x] = atomicExch(&slots[at % size], threadIdx.x);
    atomicAdd(head, 1);
}

// found: end_goes_along
// The end is moved on in the loop, as fast as the tickets are taken.
extern "C" __global__ void end_goes_along(unsigned *head, unsigned *tail, unsigned *open, unsigned *out) {
    unsigned at;
    for (;;) {
        at = atomicAdd(head, 1);
        if (*(volatile unsigned *)open != 0) break;
        atomicExch(tail, at + 2);
        if (*(volatile unsigned *)tail <= at + 1) break;
    }
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

// found: writer_below_zero
// A reader counts itself until no writer is there, who has made the number much less than 0. The test of the sign is one of the next number.
extern "C" __global__ void writer_below_zero(int *word, int *sum) {
    if (threadIdx.x == 0) {
        atomicAdd(word, -0x40000000);
        __threadfence();
        *(volatile int *)sum += 1;
        __threadfence();
        atomicAdd(word, 0x40000000);
    } else {
        while (atomicAdd(word, 1) + 1 <= 0) {}
        atomicAdd(word, -1);
    }
}

// found: very_many_tickets
// Tries a thousand million times before it gives up.
extern "C" __global__ void very_many_tickets(unsigned *tries, unsigned *open, unsigned *out) {
    unsigned at;
    do at = atomicAdd(tries, 1);
    while (*(volatile unsigned *)open == 0 && at < 1000000000);
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

// found: tries_of_each_place
// Tries each of many places some thousand times, one after the other.
extern "C" __global__ void tries_of_each_place(unsigned *tries, unsigned *open, unsigned *out) {
    unsigned place = 0, at;
    for (;;) {
        at = atomicAdd(&tries[place], 1);
        if (*(volatile unsigned *)open != 0 || at >= 5000) break;
        place = (place + 1) & 0xffff;
    }
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

// found: phases_of_tries
// Tries some times in one way, then in another one, which has it begin anew with the first.
extern "C" __global__ void phases_of_tries(unsigned *first, unsigned *second, unsigned *open, unsigned *out) {
    for (;;) {
        if (atomicAdd(first, 1) < 100) {
            if (*(volatile unsigned *)open != 0) break;
            atomicExch(second, 0);
        } else if (atomicAdd(second, 1) < 100) {
            if (*(volatile unsigned *)open == 2) break;
            atomicExch(first, 0);
        }
    }
    out[threadIdx.x] = 1;
    atomicExch(open, 2);
}

// assumed: segments_filled
// Takes an index of the last segment, or goes on to the next one, or appends one of which the number was never used before.
extern "C" __global__ void segments_filled(Segments *queue, int *out) {
    int put = 0;
    for (;;) {
        int last = *(volatile int *)&queue->tail;
        Segment *segment = &queue->segment[last];
        unsigned at = atomicAdd(&segment->taken, 1);
        if (at < 64) {
            if (atomicCAS(&segment->item[at], 0, threadIdx.x + 1) == 0) {
                put = 1;
                break;
            }
            continue;
        }
        int next = *(volatile int *)&segment->next;
        if (next >= 0) {
            atomicCAS(&queue->tail, last, next);
            continue;
        }
        int number = atomicAdd(&queue->used, 1);
        if (number >= queue->number) break;
        Segment *fresh = &queue->segment[number];
        fresh->taken = 0;
        fresh->given = 0;
        fresh->next = -1;
        __threadfence();
        if (atomicCAS(&segment->next, -1, number) == -1) atomicCAS(&queue->tail, last, number);
    }
    out[threadIdx.x] = put;
}

// assumed: segments_emptied
// What was not put yet is given up. The result says whether to go on.
extern "C" __global__ void segments_emptied(Segments *queue, unsigned *out) {
    Segment *last = &queue->segment[*(volatile int *)&queue->tail];
    atomicExch(&last->item[threadIdx.x & 63], threadIdx.x + 1);
    unsigned value = 0;
    while (value == 0) {
        int first = *(volatile int *)&queue->head;
        Segment *segment = &queue->segment[first];
        unsigned at = atomicAdd(&segment->given, 1);
        if (at >= 64) {
            int next = *(volatile int *)&segment->next;
            if (next < 0) break;
            atomicCAS(&queue->head, first, next);
            continue;
        }
        value = atomicExch(&segment->item[at], ~0u);
    }
    out[threadIdx.x] = value;
}

// assumed: segment_searched
// Looks for a free slot in the last segment, goes on to the next one if there is none, and leaves if that is used.
extern "C" __global__ void segment_searched(unsigned *slots, unsigned *head, unsigned *tail, unsigned segments, unsigned *out) {
    unsigned put = 0;
    for (;;) {
        unsigned last = *(volatile unsigned *)tail, first = *(volatile unsigned *)head, base = last % segments * 16;
        int slot = -1;
        for (int i = 0; i < 16 && slot < 0; ++i)
            if (*(volatile unsigned *)&slots[base + ((i + threadIdx.x) & 15)] == 0) slot = (i + threadIdx.x) & 15;
        if (slot >= 0) {
            if (atomicCAS(&slots[base + slot], 0, threadIdx.x + 1) != 0) continue;
            put = 1;
            break;
        }
        if (last + 1 - first >= segments) break;
        atomicCAS(tail, last, last + 1);
    }
    out[threadIdx.x] = put;
    atomicExch(&slots[*(volatile unsigned *)head % segments * 16 + (threadIdx.x & 15)], 0);
}

// found: segment_searched_for_ever
// Goes round until a slot is free.
extern "C" __global__ void segment_searched_for_ever(unsigned *slots, unsigned *tail, unsigned segments, unsigned *out) {
    unsigned base;
    for (;;) {
        unsigned last = *(volatile unsigned *)tail;
        int slot = -1;
        base = last % segments * 16;
        for (int i = 0; i < 16 && slot < 0; ++i)
            if (*(volatile unsigned *)&slots[base + ((i + threadIdx.x) & 15)] == 0) slot = (i + threadIdx.x) & 15;
        if (slot >= 0) {
            if (atomicCAS(&slots[base + slot], 0, threadIdx.x + 1) != 0) continue;
            break;
        }
        atomicCAS(tail, last, last + 1);
    }
    out[threadIdx.x] = base;
    atomicExch(&slots[base + (threadIdx.x & 15)], 0);
}

// found: segment_emptied_for_ever
// Takes what is in the first segment, and goes on to the next one, until there is something.
extern "C" __global__ void segment_emptied_for_ever(unsigned *slots, unsigned *head, unsigned segments, unsigned *out) {
    unsigned item, base;
    if (threadIdx.x & 1) {
        atomicExch(&slots[threadIdx.x], threadIdx.x);
        return;
    }
    for (;;) {
        unsigned first = *(volatile unsigned *)head;
        base = first % segments * 16;
        int slot = 0;
        for (; slot < 16; ++slot)
            if ((item = *(volatile unsigned *)&slots[base + slot]) != 0) break;
        if (slot == 16) {
            atomicCAS(head, first, first + 1);
            continue;
        }
        if (atomicCAS(&slots[base + slot], item, 0) == item) break;
    }
    out[threadIdx.x] = item;
}

// found: slot_searched_elsewhere
// The slot that was found free is in another segment than the one that is claimed.
extern "C" __global__ void slot_searched_elsewhere(unsigned *slots, unsigned *other, unsigned *out) {
    for (;;) {
        int slot = -1;
        for (int i = 0; i < 16 && slot < 0; ++i)
            if (*(volatile unsigned *)&other[(i + threadIdx.x) & 15] == 0) slot = (i + threadIdx.x) & 15;
        if (slot < 0 || atomicCAS(&slots[slot], 0, threadIdx.x + 1) == 0) break;
    }
    __threadfence();
    out[threadIdx.x] = atomicExch(&slots[threadIdx.x & 15], 0);
}

// found: block_filled_by_another
// A lane leaves an empty block behind, which another one fills.
extern "C" __global__ void block_filled_by_another(Word *block, unsigned *numbers, unsigned *out) {
    unsigned number;
    for (;;) {
        Word taken = atomicAdd(block, 1ull);
        number = (unsigned)taken;
        if (number < (unsigned)(taken >> 32)) break;
        unsigned first = atomicAdd(numbers, 64);
        Word now = *(volatile Word *)block;
        if ((unsigned)now >= (unsigned)(now >> 32)) atomicCAS(block, now, (Word)first << 32 | first);
    }
    out[threadIdx.x] = number;
    atomicExch(block, (Word)(number + 64) << 32 | number);
}

// found: block_with_its_halves_swapped
// The end of the block is in its lower half.
extern "C" __global__ void block_with_its_halves_swapped(Word *block, unsigned *numbers, unsigned *out) {
    unsigned number;
    for (;;) {
        Word taken = atomicAdd(block, 1ull);
        number = (unsigned)taken;
        if (number < (unsigned)(taken >> 32)) break;
        unsigned first = atomicAdd(numbers, 64);
        Word now = *(volatile Word *)block;
        if ((unsigned)now >= (unsigned)(now >> 32)) atomicCAS(block, now, (Word)first << 32 | (first + 64));
    }
    out[threadIdx.x] = number;
    atomicExch(block, (Word)(number + 64) << 32 | number);
}

// found: turn_met_by_a_ticket
// Takes numbers until one is the turn, which whoever has had it gives to the next.
extern "C" __global__ void turn_met_by_a_ticket(unsigned *next, unsigned *turn, unsigned *out) {
    unsigned at;
    do at = atomicAdd(next, 1);
    while (at != *(volatile unsigned *)turn);
    out[threadIdx.x] = at;
    __threadfence();
    atomicExch(turn, at + 1);
}

// found: hand_round_a_ring
// Moves a hand round a ring of slots until one is not empty, which others fill.
extern "C" __global__ void hand_round_a_ring(unsigned *hand, unsigned *slots, unsigned *out) {
    if (threadIdx.x & 1) {
        atomicExch(&slots[threadIdx.x & 15], threadIdx.x);
        return;
    }
    unsigned item;
    for (;;) {
        unsigned at = *(volatile unsigned *)hand;
        item = *(volatile unsigned *)&slots[at];
        if (item == 0) {
            atomicCAS(hand, at, (at + 1) & 15);
            continue;
        }
        if (atomicCAS(&slots[at], item, 0) == item) break;
    }
    out[threadIdx.x] = item;
}

// found: hand_moved_while_waiting
// Moves a hand in each round, and goes on if a gate is not open; where it has not moved the hand, it goes on as well.
extern "C" __global__ void hand_moved_while_waiting(unsigned *hand, unsigned *open, unsigned *out) {
    int state = 2;
    unsigned seen;
    while (state == 2) {
        seen = *(volatile unsigned *)hand;
        state = 2;
        if (atomicCAS(hand, seen, seen + 1) == seen) state = *(volatile unsigned *)open != 0 ? 0 : 2;
    }
    out[threadIdx.x] = seen;
    atomicExch(open, 1);
}
