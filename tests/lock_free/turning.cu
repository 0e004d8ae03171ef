// Swaps by which a lane has a word come back to what it was, until another lane does what it waits for; and look-alikes that go in one direction.

typedef unsigned u;
#define READ(x) (*(volatile u *)&(x))

__device__ u tail, slot[4];

// found: ring_of_two
extern "C" __global__ void ring_of_two(u *out) {
    u t = threadIdx.x;
    if (t == 0) {
        u at;
        for (;;) {
            at = READ(tail);
            if (READ(slot[at]) == 0) {
                if (atomicCAS(&slot[at], 0, 1) == 0) break;
                continue;
            }
            atomicCAS(&tail, at, at ^ 1);
        }
        out[t] = at;
    } else
        atomicExch(&slot[t & 3], 0);
}

// found: ring_by_difference
extern "C" __global__ void ring_by_difference(u *out) {
    u t = threadIdx.x;
    if (t == 0) {
        u at;
        for (;;) {
            at = READ(tail);
            if (READ(slot[at]) == 0) {
                if (atomicCAS(&slot[at], 0, 1) == 0) break;
                continue;
            }
            atomicCAS(&tail, at, 1 - at);
        }
        out[t] = at;
    } else
        atomicExch(&slot[t & 3], 0);
}

// found: ring_by_choice
extern "C" __global__ void ring_by_choice(u *out) {
    u t = threadIdx.x;
    if (t == 0) {
        u at;
        for (;;) {
            at = READ(tail);
            if (READ(slot[at]) == 0) {
                if (atomicCAS(&slot[at], 0, 1) == 0) break;
                continue;
            }
            atomicCAS(&tail, at, at == 2 ? 0 : at + 1);
        }
        out[t] = at;
    } else
        atomicExch(&slot[t & 3], 0);
}

// found: ring_by_remainder
extern "C" __global__ void ring_by_remainder(u *out) {
    u t = threadIdx.x;
    if (t == 0) {
        u at;
        for (;;) {
            at = READ(tail);
            if (READ(slot[at]) == 0) {
                if (atomicCAS(&slot[at], 0, 1) == 0) break;
                continue;
            }
            atomicCAS(&tail, at, (at + 1) % 3);
        }
        out[t] = at;
    } else
        atomicExch(&slot[t & 3], 0);
}

// assumed: list_by_table
// That the links come to an end is assumed.
extern "C" __global__ void list_by_table(u *tail, u *next, u *slot, u *out) {
    u t = threadIdx.x, at;
    for (;;) {
        at = READ(*tail);
        u link = READ(next[at]);
        if (link == 0) break;
        atomicCAS(tail, at, link);
    }
    out[t] = at;
    __threadfence();
    atomicExch(&next[at], 0);
}

// found: lock_of_two_states
extern "C" __global__ void lock_of_two_states(u *lock, u *out) {
    for (;;) {
        u now = READ(*lock);
        if (now == 0) {
            if (atomicCAS(lock, 0, 1) == 0) break;
            continue;
        }
        atomicCAS(lock, now, now == 1 ? 2 : 1);
    }
    out[threadIdx.x] = 1;
    __threadfence();
    atomicExch(lock, 0);
}

// found: lock_that_is_written_anew
// A constant that the tests let through is what the lane finds in the next round.
extern "C" __global__ void lock_that_is_written_anew(u *lock, u *out) {
    for (;;) {
        u now = READ(*lock);
        if (now == 0) {
            if (atomicCAS(lock, 0, 1) == 0) break;
            continue;
        }
        atomicCAS(lock, now, 5);
    }
    out[threadIdx.x] = 1;
    __threadfence();
    atomicExch(lock, 0);
}

// nothing: reset
// What it writes has the next round take another way.
extern "C" __global__ void reset(u *state, u *out) {
    for (;;) {
        u now = READ(*state);
        if (now == 0) break;
        atomicCAS(state, now, 0);
    }
    out[threadIdx.x] = 1;
    __threadfence();
    atomicExch(state, 3);
}
