// Numbers that are taken in blocks, and waits of lanes that have the tries of segments begin anew.

typedef unsigned long long Word;

struct Segment { unsigned taken, given; int next; unsigned item[64]; };
struct Segments { int head, tail; int used, number; Segment *segment; };

// assumed: block_of_numbers
// Takes a number of a block, and has a new block begin where that is used up. A new block is never empty twice.
extern "C" __global__ void block_of_numbers(Word *block, unsigned *numbers, unsigned *out) {
    unsigned number;
    for (;;) {
        Word taken = atomicAdd(block, 1ull);
        number = (unsigned)taken;
        if (number < (unsigned)(taken >> 32)) break;
        unsigned first = atomicAdd(numbers, 64);
        Word now = *(volatile Word *)block;
        if ((unsigned)now >= (unsigned)(now >> 32)) atomicCAS(block, now, (Word)(first + 64) << 32 | first);
    }
    out[threadIdx.x] = number;
}

// found: segments_in_turn
// Goes from one segment to the next, whose tries it has begin anew, until another lane opens the gate.
extern "C" __global__ void segments_in_turn(Segments *queue, unsigned *open, unsigned *out) {
    unsigned at;
    for (;;) {
        int last = *(volatile int *)&queue->tail;
        Segment *segment = &queue->segment[last];
        at = atomicAdd(&segment->taken, 1);
        if (at < 64) {
            if (*(volatile unsigned *)open != 0) break;
            continue;
        }
        int next = *(volatile int *)&segment->next;
        atomicAnd(&queue->segment[next].taken, 0);
        atomicCAS(&queue->tail, last, next);
    }
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

// found: segments_used_again
// The same where the next one is the next of four.
extern "C" __global__ void segments_used_again(Segments *queue, unsigned *open, unsigned *out) {
    unsigned at;
    for (;;) {
        int last = *(volatile int *)&queue->tail;
        Segment *segment = &queue->segment[last];
        at = atomicAdd(&segment->taken, 1);
        if (at < 64) {
            if (*(volatile unsigned *)open != 0) break;
            continue;
        }
        int number = atomicAdd(&queue->used, 1) & 3;
        atomicAnd(&queue->segment[number].taken, 0);
        atomicCAS(&queue->tail, last, number);
    }
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

// found: segment_kept
// The number of a segment is taken once, and the segment emptied and used in each round.
extern "C" __global__ void segment_kept(Segments *queue, unsigned *open, unsigned *out) {
    unsigned at;
    int number = -1;
    for (;;) {
        int last = *(volatile int *)&queue->tail;
        Segment *segment = &queue->segment[last];
        at = atomicAdd(&segment->taken, 1);
        if (at < 64) {
            if (*(volatile unsigned *)open != 0) break;
            continue;
        }
        if (number < 0) number = atomicAdd(&queue->used, 1);
        atomicAnd(&queue->segment[number].taken, 0);
        atomicCAS(&queue->tail, last, number);
    }
    out[threadIdx.x] = at;
    atomicExch(open, 1);
}

