// Waits that can be given up, which ends the kernel: lanes that go on and lanes that wait meet at its end alone, so that the loop around is what they wait in.

// found: pipeline
extern "C" __global__ void pipeline(volatile int *done, volatile int *given_up, int rounds) {
    int me = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        if (me) while (done[me - 1] <= round) if (*given_up) return;
        done[me] = round + 1;
    }
}

// found: by_ticket
extern "C" __global__ void by_ticket(volatile unsigned *now, unsigned *next, volatile unsigned *given_up, int *sum, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        unsigned mine = atomicAdd(next, 1);
        while (*now != mine) if (*given_up) return;
        *sum += mine;
        __threadfence();
        *now = mine + 1;
    }
}

// found: in_rows
// The rows of a triangular system, each behind the one before.
extern "C" __global__ void in_rows(volatile int *done, volatile int *given_up, int rows) {
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        if (row > 0) while (!done[row - 1]) if (*given_up) return;
        done[row] = 1;
    }
}

// found: whoever_fails
// The kernel itself says that all is lost.
extern "C" __global__ void whoever_fails(volatile int *done, volatile int *given_up, const int *bad, int rounds) {
    int me = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        if (me) while (done[me - 1] <= round) if (*given_up) return;
        if (bad[me + round]) { *given_up = 1; return; }
        done[me] = round + 1;
    }
}

// found: weakly
// The same by reads that the ISA promises nothing of: the loop around counts, the one within only reads.
__device__ unsigned reread(const unsigned *at) {
    unsigned found;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(found) : "l"(at));
    return found;
}
extern "C" __global__ void weakly(unsigned *done, unsigned *given_up, unsigned rounds) {
    unsigned me = threadIdx.x;
    for (unsigned round = 0; round < rounds; ++round) {
        if (me) while (reread(done + me - 1) <= round) if (reread(given_up)) return;
        done[me] = round + 1;
    }
}

// nothing: slots_of_words
// The bits of a word are tried one after the other: each round has one fewer.
extern "C" __global__ void slots_of_words(unsigned *slots, unsigned words, unsigned wanted, int *found) {
    for (unsigned word = 0; word < words; ++word) {
        for (unsigned left = wanted; left; left &= left - 1) {
            unsigned bit = left & -left;
            if (!(atomicOr(slots + word, bit) & bit)) { found[threadIdx.x] = word; return; }
        }
    }
}

// nothing: slots_by_number
extern "C" __global__ void slots_by_number(unsigned *slots, unsigned words, unsigned wanted, int *found) {
    for (unsigned word = 0; word < words; ++word) {
        unsigned left = wanted;
        while (left) {
            unsigned number = __ffs(left) - 1;
            if (atomicCAS(slots + 32 * word + number, 0, 1) == 0) { found[threadIdx.x] = number; return; }
            left ^= 1u << number;
        }
    }
}

// found: the_same_bit
// What is left does not get less: a bit that is taken out comes back.
extern "C" __global__ void the_same_bit(unsigned *slots, unsigned words, unsigned wanted, int *found) {
    for (unsigned word = 0; word < words; ++word) {
        unsigned left = wanted;
        while (left) {
            unsigned number = __ffs(left) - 1;
            if (atomicCAS(slots + 32 * word + number, 0, 1) == 0) { found[threadIdx.x] = number; break; }
            left ^= 3u << number;
            if (slots[words * 32]) return;
        }
        slots[32 * word] = 0;
    }
}
