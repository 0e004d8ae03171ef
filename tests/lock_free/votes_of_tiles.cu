// Lanes of a part of a warp that work together on what each of them brings, one after the other.

#define TILE 8

__device__ __forceinline__ unsigned tile() { return 0xffu << (threadIdx.x & 24); }
__device__ __forceinline__ unsigned of_tile(bool says) { return __ballot_sync(tile(), says) >> (threadIdx.x & 24); }
__device__ __forceinline__ int told(int what, int by) { return __shfl_sync(tile(), what, by, TILE); }
__device__ __forceinline__ int rank() { return threadIdx.x & (TILE - 1); }

// nothing: one_after_another
// Whose turn it is has done its work then, whatever it finds in memory.
extern "C" __global__ void one_after_another(int *word, int *sum, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1;
        if (rank() == turn) {
            todo = false;
            if (atomicExch(&word[turn], 1) == 0) atomicAdd(sum, 1);
        }
    }
}

// found: turn_of_who_finds
// It has done its work only if it finds something, which lanes behind the loop put there.
extern "C" __global__ void turn_of_who_finds(int *word, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1;
        if (rank() == turn) {
            if (atomicExch(&word[turn], 1) == 0) todo = false;
        }
    }
    atomicExch(&word[rank()], 0);
}

// found: turn_of_four_ways
// Two of four ways are alike, and so are the other two, which keep it waiting.
extern "C" __global__ void turn_of_four_ways(int *word, int *sum, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1;
        if (rank() == turn) {
            if (turn == 3) {
                todo = false;
                atomicAdd(sum, 1);
            } else {
                int seen = atomicExch(&word[turn], 3);
                if (seen == 0) {
                    todo = false;
                    atomicAdd(sum, 2);
                } else if (seen == 2) {
                    atomicAdd(sum, 3);
                }
            }
        }
    }
    atomicExch(&word[rank()], 0);
}

// found: turn_of_four_other_ways
// The same in another order.
extern "C" __global__ void turn_of_four_other_ways(int *word, int *sum, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1;
        if (rank() == turn) {
            if (turn != 3) {
                int seen = atomicExch(&word[turn], 3);
                if (seen == 0) {
                    todo = false;
                    atomicAdd(sum, 2);
                } else if (seen == 2) {
                    atomicAdd(sum, 3);
                }
            } else {
                todo = false;
                atomicAdd(sum, 1);
            }
        }
    }
    atomicExch(&word[rank()], 0);
}

// found: wait_in_a_turn
// Whose turn it is waits for a flag in its turn.
extern "C" __global__ void wait_in_a_turn(volatile int *flag, int *sum, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1;
        if (rank() == turn) {
            todo = false;
            if (turn) {
                while (flag[turn] == 0) {}
                atomicAdd(sum, 1);
            }
        }
    }
    flag[rank() + 1] = 1;
}

// found: chain_of_tries_that_do_not_count
// A full bucket does not count: it is emptied behind the loop.
extern "C" __global__ void chain_of_tries_that_do_not_count(unsigned *table, unsigned buckets, unsigned key, int most, int *fail) {
    int ok = 0;
    for (int chain = 0; chain < most && !ok;) {
        unsigned *slot = &table[key % buckets * TILE + rank()];
        int load = __popc(of_tile(*(volatile unsigned *)slot != 0));
        if (load != TILE) {
            if (rank() == load) ok = atomicCAS(slot, 0u, key) == 0;
            ok = told(ok, load);
            if (!ok) ++chain;
        }
    }
    if (!ok) atomicAdd(fail, 1);
    table[0] = 0;
}

// assumed: swap_with_a_vote
// A lane alone leaves this one, but is not alone where it votes: that is shown of no loop.
extern "C" __global__ void swap_with_a_vote(int *sum, unsigned *out) {
    int old = *(volatile int *)sum, seen;
    unsigned votes = 0;
    do {
        seen = old;
        votes |= __ballot_sync(__activemask(), seen & 1);
        old = atomicCAS(sum, seen, seen + 1);
    } while (old != seen);
    atomicAdd(sum, 2);
    out[threadIdx.x] = votes;
}

// found: room_in_a_bucket
// The lanes of a tile look together for room, which others make behind the loop.
extern "C" __global__ void room_in_a_bucket(unsigned *slots, unsigned key, int n) {
    bool todo = blockIdx.x * blockDim.x + threadIdx.x < n;
    unsigned queue;
    while ((queue = of_tile(todo)) != 0) {
        int turn = __ffs(queue) - 1, place = 0;
        unsigned mine = told(key, turn);
        while (true) {
            unsigned room = of_tile(*(volatile unsigned *)&slots[rank()] == 0);
            if (room == 0) continue;
            place = __ffs(room) - 1;
            int ok = 0;
            if (rank() == place) ok = atomicCAS(&slots[place], 0u, mine) == 0;
            if (told(ok, place)) break;
        }
        if (rank() == turn) todo = false;
    }
    slots[rank()] = 0;
}
