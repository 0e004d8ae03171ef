// Swaps at a place that is chosen, with what was read somewhere else; and look-alikes in which both are chosen together.

typedef unsigned u;
#define READ(x) (*(volatile u *)&(x))

__device__ u one_word, other_word;

// found: free_word_elsewhere
extern "C" __global__ void free_word_elsewhere(u *key, u *out) {
    u t = threadIdx.x, at, empty;
    for (;;) {
        empty = READ(key[7]);
        at = READ(key[1]) ? 0 : 1;
        if (atomicCAS(&key[at], empty, t + 1) == empty) break;
    }
    out[t] = at;
    __threadfence();
    atomicExch(&key[at], 0);
}

// found: index_by_mask
extern "C" __global__ void index_by_mask(u *key, u *out) {
    u t = threadIdx.x, at, empty;
    for (;;) {
        empty = READ(key[7]);
        at = READ(key[1]) & 1;
        if (atomicCAS(&key[at], empty, t + 1) == empty) break;
    }
    out[t] = at;
    __threadfence();
    atomicExch(&key[at], 0);
}

// found: lesser_of_two
// It swaps where the lesser number is, with the greater one.
extern "C" __global__ void lesser_of_two(u *out) {
    if (threadIdx.x == 0) {
        for (;;) {
            u x = READ(one_word), y = READ(other_word);
            u *place = x < y ? &one_word : &other_word;
            if (atomicCAS(place, y, 9) == y) break;
        }
    } else
        atomicExch(&one_word, 2);
    out[threadIdx.x] = 1;
}

// nothing: lesser_with_its_value
extern "C" __global__ void lesser_with_its_value(u *out) {
    u x, y;
    for (;;) {
        x = READ(one_word), y = READ(other_word);
        u *place = x < y ? &one_word : &other_word;
        u value = x < y ? x : y;
        if (atomicCAS(place, value, value + 9) == value) break;
    }
    out[threadIdx.x] = x + y;
}
