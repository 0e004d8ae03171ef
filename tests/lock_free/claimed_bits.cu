// Claims of bits: the lowest or the highest one that is free in a word, as a word like `x & -x` says. Who fails has seen that another lane has claimed it.

// nothing: lowest_free_bit
// What is tried next is the lowest bit that the last try has found free.
extern "C" __global__ void lowest_free_bit(unsigned *words, int *out) {
    for (int i = 0; i < 4; ++i) {
        unsigned left = ~((volatile unsigned *)words)[i];
        while (left) {
            unsigned bit = left & -left, old = atomicOr(words + i, bit);
            if (!(old & bit)) {
                out[threadIdx.x] = i * 32 + __ffs(bit);
                return;
            }
            left = ~(old | bit);
        }
    }
    out[threadIdx.x] = -1;
}

// nothing: lowest_bit_of_a_pool
// Free are the bits that are set.
extern "C" __global__ void lowest_bit_of_a_pool(unsigned *words, int *out) {
    unsigned left = *(volatile unsigned *)words;
    while (left) {
        unsigned bit = left & -left, old = atomicAnd(words, ~bit);
        if (old & bit) {
            out[threadIdx.x] = bit;
            return;
        }
        left = old & ~bit;
    }
}

// nothing: highest_free_bit
extern "C" __global__ void highest_free_bit(unsigned *words, int *out) {
    unsigned now = *(volatile unsigned *)words;
    while (now != ~0u) {
        unsigned bit = 1u << (31 - __clz(~now)), old = atomicOr(words, bit);
        if (!(old & bit)) {
            out[threadIdx.x] = bit;
            return;
        }
        now = old;
    }
}

// nothing: lowest_free_bit_of_some
extern "C" __global__ void lowest_free_bit_of_some(unsigned *words, int *out, unsigned allowed) {
    for (;;) {
        unsigned left = ~*(volatile unsigned *)words & allowed;
        if (!left) break;
        unsigned bit = left & -left;
        if ((atomicOr(words, bit) & bit) == 0) {
            out[threadIdx.x] = bit;
            break;
        }
    }
}

// nothing: lowest_free_bit_of_64
extern "C" __global__ void lowest_free_bit_of_64(unsigned long long *words, int *out) {
    unsigned long long left = ~*(volatile unsigned long long *)words;
    while (left) {
        unsigned long long bit = left & -left, old = atomicOr(words, bit);
        if (!(old & bit)) {
            out[threadIdx.x] = __ffsll(bit);
            return;
        }
        left = ~(old | bit);
    }
}

// found: bit_of_a_full_word
// While the word is full, a lane waits for another one to give a bit back.
extern "C" __global__ void bit_of_a_full_word(unsigned *words, int *out) {
    unsigned bit, old;
    do {
        old = *(volatile unsigned *)words;
        bit = ~old & (old + 1);
    } while (!bit || (atomicOr(words, bit) & bit));
    out[threadIdx.x] = bit;
    atomicAnd(words, ~bit);
}

// found: bit_of_an_empty_pool
extern "C" __global__ void bit_of_an_empty_pool(unsigned *words, int *out) {
    unsigned left, bit;
    do {
        left = *(volatile unsigned *)words;
        bit = left & -left;
    } while (!(atomicAnd(words, ~bit) & bit));
    out[threadIdx.x] = bit;
    atomicOr(words, bit);
}

// found: lowest_bit_that_is_taken
// The bit that is tried is the lowest one that is set, whose owner has to clear it.
extern "C" __global__ void lowest_bit_that_is_taken(unsigned *words, int *out) {
    unsigned bit;
    do {
        unsigned now = *(volatile unsigned *)words | 16u;
        bit = now & -now;
    } while (atomicOr(words, bit) & bit);
    out[threadIdx.x] = bit;
    atomicAnd(words, ~bit);
}

// found: bit_that_was_free
// The same bit is tried again and again.
extern "C" __global__ void bit_that_was_free(unsigned *words, int *out) {
    unsigned left = ~*(volatile unsigned *)words, bit = left & -left;
    while (atomicOr(words, bit) & bit) {}
    out[threadIdx.x] = bit;
    atomicAnd(words, ~bit);
}

// found: bit_free_elsewhere
// The bit is free in another word than that in which it is claimed.
extern "C" __global__ void bit_free_elsewhere(unsigned *words, int *out) {
    unsigned bit, left;
    do {
        left = ~((volatile unsigned *)words)[1];
        bit = left & -left;
    } while (atomicOr(words, bit) & bit);
    out[threadIdx.x] = bit;
    atomicAnd(words, ~bit);
}

// found: bit_and_the_next_one
// Of two bits that are claimed together, only the first one is free for certain.
extern "C" __global__ void bit_and_the_next_one(unsigned *words, int *out) {
    unsigned left, bit;
    do {
        left = ~*(volatile unsigned *)words;
        bit = left & -left;
        bit |= bit << 1;
    } while (atomicOr(words, bit) & bit);
    out[threadIdx.x] = bit;
    atomicAnd(words, ~bit);
}

// nothing: full_words_are_marked
// Nobody looks at what the atomic finds. Each round sets a bit of the summary that was clear when it was read, so that it is full some time.
extern "C" __global__ void full_words_are_marked(unsigned *summary, unsigned *words, int *out) {
    unsigned *marks = &summary[threadIdx.x % 3], left;
    int found = -1;
    while ((left = ~*(volatile unsigned *)marks) != 0) {
        int number = (threadIdx.x % 3) * 32 + __ffs(left) - 1;
        if (((volatile unsigned *)words)[number] != ~0u) {
            found = number;
            break;
        }
        atomicOr(marks, 1u << (number & 31));
    }
    out[threadIdx.x] = found;
}

// nothing: all_that_are_left
// The same of all bits that are clear at once, of the highest one, and by the number behind the word.
extern "C" __global__ void all_that_are_left(unsigned *words, int *out) {
    unsigned left;
    while ((left = ~*(volatile unsigned *)words) != 0) atomicOr(words, left);
    while ((left = ~*(volatile unsigned *)&words[1]) != 0) atomicOr(&words[1], 0x80000000u >> __clz(left));
    while ((left = ~*(volatile unsigned *)&words[2]) != 0) atomicOr(&words[2], ~left + 1);
    out[threadIdx.x] = 1;
}

// found: sets_its_own_bit_and_waits
// Each thread sets one bit, and waits for those that others set behind the loop.
extern "C" __global__ void sets_its_own_bit_and_waits(unsigned *words, int *out) {
    unsigned own = threadIdx.x & 1;
    while (~*(volatile unsigned *)words != 0) atomicOr(words, 1u << own);
    atomicOr(&words[1], ~0u);
    while (~*(volatile unsigned *)&words[2] != 0) atomicOr(&words[2], 2);
    atomicOr(words, ~0u);
    atomicOr(&words[2], ~0u);
    out[threadIdx.x] = 1;
}

// found: another_bit_than_the_lowest
// The bit is that of another word: it may be set already.
extern "C" __global__ void another_bit_than_the_lowest(unsigned *words, int *out) {
    unsigned left;
    while ((left = ~*(volatile unsigned *)words) != 0) atomicOr(words, 1u << (__ffs(out[threadIdx.x]) - 1 & 31));
    while ((left = ~*(volatile unsigned *)&words[2]) != 0) atomicOr(&words[2], 1u << ((threadIdx.x + __ffs(left) - 1) & 31));
    atomicOr(words, ~0u);
    atomicOr(&words[2], ~0u);
}

// found: in_a_mask_of_bits
// What is added above the bits that count is left out; what is added among them is not.
extern "C" __global__ void in_a_mask_of_bits(unsigned *words, int *out) {
    unsigned left;
    while ((left = ~*(volatile unsigned *)words) != 0) {
        unsigned place = threadIdx.x * 16 + __ffs(left) - 1;
        atomicOr(words, 1u << (place & 31));
    }
    atomicOr(words, ~0u);
}

// found: a_bit_that_others_clear
// A lane that waits sets the lowest bit that is clear, and clears another one.
extern "C" __global__ void a_bit_that_others_clear(unsigned *words, volatile int *flag, int *out) {
    unsigned left;
    while ((left = ~*(volatile unsigned *)words) != 0) {
        atomicOr(words, left & -left);
        if (!*flag) atomicAnd(words, ~1u);
    }
    *flag = 1;
}
