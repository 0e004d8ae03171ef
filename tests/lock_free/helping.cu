// Loops in which lanes that stay change memory, so that they or others leave later; and some in which that does not help.

__device__ unsigned head, tail, flag, next_of[1024], cells[1024];

// nothing: two_reads_then_swap
extern "C" __global__ void two_reads_then_swap(unsigned *b) {
    for (;;) {
        unsigned x = *(volatile unsigned *)&head, y = *(volatile unsigned *)&tail;
        if (x != *(volatile unsigned *)&head) continue;
        if (atomicCAS(&head, x, y) == x) break;
    }
}

// nothing: stable_inside_swap
extern "C" __global__ void stable_inside_swap(unsigned *b) {
    for (;;) {
        unsigned x;
        do x = *(volatile unsigned *)&head; while (x != *(volatile unsigned *)&head);
        if (atomicCAS(&head, x, x + 1) == x) break;
    }
}

// found: flag_inside_swap
// The inner loop waits for a flag that is set behind the outer one.
extern "C" __global__ void flag_inside_swap(unsigned *b) {
    if (threadIdx.x != 0) {
        for (;;) {
            while (*(volatile unsigned *)&flag == 0) {}
            unsigned x = *(volatile unsigned *)&head;
            if (atomicCAS(&head, x, x + 1) == x) break;
        }
    }
    atomicExch(&flag, 1);
}

// nothing: help_bit
extern "C" __global__ void help_bit(unsigned *b) {
    for (;;) {
        unsigned x = *(volatile unsigned *)&flag;
        if (x & 1) {
            atomicCAS(&flag, x, x & ~1u);
            continue;
        }
        if (atomicCAS(&flag, x, x + 2) == x) break;
    }
}

// found: lock_bit
// Nobody but the holder clears the bit.
extern "C" __global__ void lock_bit(unsigned *b) {
    for (;;) {
        unsigned x = *(volatile unsigned *)&flag;
        if (x & 1) continue;
        if (atomicCAS(&flag, x, x | 1) == x) break;
    }
    atomicAdd(&flag, 1);
}

// found: toggled_while_waiting
// Lanes that stay clear a bit and set it again; they wait for another word.
extern "C" __global__ void toggled_while_waiting(unsigned *b) {
    if (threadIdx.x != 0) {
        while (*(volatile unsigned *)&tail == 0) {
            unsigned x = *(volatile unsigned *)&flag;
            if (x & 1) atomicCAS(&flag, x, x & ~1u);
            else atomicCAS(&flag, x, x | 1u);
        }
    }
    atomicExch(&tail, 1);
}

// nothing: help_tail
extern "C" __global__ void help_tail(unsigned *b) {
    for (;;) {
        unsigned t = *(volatile unsigned *)&tail, h = *(volatile unsigned *)&head;
        if (h == t) {
            if (atomicCAS(&head, t, t + 1) == t) break;
        } else {
            atomicCAS(&tail, t, h);
        }
    }
}

// found: follow_tail
// As above, but the tail is only moved behind the loop.
extern "C" __global__ void follow_tail(unsigned *b) {
    unsigned t;
    for (;;) {
        t = *(volatile unsigned *)&tail;
        unsigned h = *(volatile unsigned *)&head;
        if (h == t && atomicCAS(&head, t, t + 1) == t) break;
    }
    atomicExch(&tail, t + 1);
}

// nothing: help_descriptor
extern "C" __global__ void help_descriptor(unsigned *b) {
    for (;;) {
        unsigned d = *(volatile unsigned *)&flag;
        if (d != 0) {
            atomicCAS(&cells[d & 1023], 0, 1);
            atomicCAS(&flag, d, 0);
            continue;
        }
        if (atomicCAS(&flag, 0, threadIdx.x + 1) == 0) break;
    }
    atomicCAS(&flag, threadIdx.x + 1, 0);
}

// found: owned_descriptor
// Only who has put a descriptor there takes it away.
extern "C" __global__ void owned_descriptor(unsigned *b) {
    for (;;) {
        unsigned d = *(volatile unsigned *)&flag;
        if (d != 0) {
            atomicCAS(&cells[d & 1023], 0, 1);
            continue;
        }
        if (atomicCAS(&flag, 0, threadIdx.x + 1) == 0) break;
    }
    atomicCAS(&flag, threadIdx.x + 1, 0);
}

// nothing: push_by_exchange
extern "C" __global__ void push_by_exchange(unsigned *b) {
    unsigned node = threadIdx.x + 1;
    for (;;) {
        unsigned top = *(volatile unsigned *)&head;
        atomicExch(&next_of[node], top);
        if (atomicCAS(&head, top, node) == top) break;
    }
    atomicAdd(&head, 1024);
}

// nothing: push_then_pop
extern "C" __global__ void push_then_pop(unsigned *b) {
    unsigned node = threadIdx.x + 1, top;
    do {
        top = *(volatile unsigned *)&head;
        *(volatile unsigned *)&next_of[node] = top;
        __threadfence();
    } while (atomicCAS(&head, top, node) != top);
    while ((top = *(volatile unsigned *)&head) != 0) {
        if (atomicCAS(&head, top, *(volatile unsigned *)&next_of[top]) == top) break;
    }
    atomicAdd(b, top);
}

// found: pop_what_is_pushed_behind
// Goes round while the stack is empty.
extern "C" __global__ void pop_what_is_pushed_behind(unsigned *b) {
    unsigned top;
    if (threadIdx.x & 1) {
        do {
            while ((top = *(volatile unsigned *)&head) == 0) {}
        } while (atomicCAS(&head, top, *(volatile unsigned *)&next_of[top]) != top);
    }
    atomicExch(&head, threadIdx.x + 1);
}

// nothing: claim_bit
extern "C" __global__ void claim_bit(unsigned *b) {
    unsigned bit = 32;
    for (;;) {
        unsigned old = *(volatile unsigned *)&flag;
        if (old == 0xffffffffu) break;
        bit = __ffs(~old) - 1;
        if ((atomicOr(&flag, 1u << bit) >> bit & 1) == 0) break;
    }
    if (bit < 32) atomicAnd(&flag, ~(1u << bit));
}

// found: claim_one_of_four
// Goes round while all bits are taken.
extern "C" __global__ void claim_one_of_four(unsigned *b) {
    unsigned bit;
    for (;;) {
        unsigned old = *(volatile unsigned *)&flag | 0xfffffff0u;
        bit = __ffs(~old) - 1;
        if (old == 0xffffffffu) continue;
        if ((atomicOr(&flag, 1u << bit) >> bit & 1) == 0) break;
    }
    atomicAnd(&flag, ~(1u << bit));
}

// nothing: set_until_set
extern "C" __global__ void set_until_set(unsigned *b) {
    while (*(volatile unsigned *)&flag == 0) atomicCAS(&flag, 0, threadIdx.x + 1);
    atomicExch(&flag, 0);
}

// nothing: announce_then_look
extern "C" __global__ void announce_then_look(unsigned *b) {
    unsigned seen;
    do {
        seen = *(volatile unsigned *)&head;
        atomicExch(&cells[threadIdx.x], seen);
    } while (*(volatile unsigned *)&head != seen);
    atomicAdd(&head, 1);
}

// found: announce_until_answered
// The answer comes from who has read what was announced.
extern "C" __global__ void announce_until_answered(unsigned *b) {
    if (threadIdx.x != 0) {
        do atomicExch(&cells[threadIdx.x], 1); while (*(volatile unsigned *)&head == 0);
    }
    atomicAdd(&head, 1);
}

// nothing: probe_read_first
extern "C" __global__ void probe_read_first(unsigned *b) {
    unsigned slot = threadIdx.x * 77 & 1023, key = threadIdx.x + 1;
    while (true) {
        unsigned seen = *(volatile unsigned *)&cells[slot];
        if (seen == 0) {
            seen = atomicCAS(&cells[slot], 0, key);
            if (seen == 0) break;
        }
        if (seen == key) break;
        slot = (slot + 1) & 1023;
    }
}

// found: probe_locks
// The slots are set free behind the loop.
extern "C" __global__ void probe_locks(unsigned *b) {
    unsigned slot = threadIdx.x * 77 & 3, key = threadIdx.x + 1;
    while (true) {
        unsigned seen = *(volatile unsigned *)&cells[slot];
        if (seen == 0) {
            seen = atomicCAS(&cells[slot], 0, key);
            if (seen == 0) break;
        }
        if (seen == key) break;
        slot = (slot + 1) & 3;
    }
    atomicExch(&cells[slot], 0);
}

// found: until_not_zero
// The comparison with 0 behind the loop is what it waits for: who reads 0 stays.
extern "C" __global__ void until_not_zero(unsigned *b) {
    if (threadIdx.x != 0) {
        unsigned slot = 0;
        while (*(volatile unsigned *)&cells[slot] == 0) slot = (slot + 1) & 3;
    }
    atomicCAS(&cells[threadIdx.x & 3], 0, 1);
}

// found: until_not_zero_by_addition
// The same with a read by an atomic that adds nothing.
extern "C" __global__ void until_not_zero_by_addition(unsigned *b) {
    if (threadIdx.x != 0) while (atomicAdd(&flag, 0) == 0) {}
    atomicExch(&flag, 1);
}
