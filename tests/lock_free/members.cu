// Tables of structures: what is stored in one member is not where another one is read, in whatever element.

struct Pair {
    unsigned key, value;
};

struct Odd {
    unsigned key, value, more;
};

// nothing: insert
// The value is stored behind the loop, which reads keys.
extern "C" __global__ void insert(Pair *table, const unsigned *keys) {
    unsigned key = keys[threadIdx.x], slot = key & 1023;
    while (true) {
        unsigned seen = atomicCAS(&table[slot].key, 0u, key);
        if (seen == 0 || seen == key) {
            table[slot].value = key * 3;
            return;
        }
        slot = (slot + 1) & 1023;
    }
}

// found: value_of_another
// The lane waits for the member that another lane stores.
extern "C" __global__ void value_of_another(Pair *table, int *out) {
    unsigned lane = threadIdx.x, seen = 1;
    if (lane) {
        do seen = *(volatile unsigned *)&table[lane & 3].value;
        while (!seen);
    }
    out[lane] = seen;
    if (!lane) {
        for (int i = 0; i < 4; ++i) *(volatile unsigned *)&table[i].value = 7;
    }
}

// found: both_at_once
// A store of the whole element is one of each member.
extern "C" __global__ void both_at_once(Pair *table, int *out) {
    unsigned lane = threadIdx.x, seen = 1;
    if (lane) {
        do seen = *(volatile unsigned *)&table[lane & 3].key;
        while (!seen);
    }
    out[lane] = seen;
    if (!lane) {
        for (int i = 0; i < 4; ++i) *(volatile unsigned long long *)&table[i] = 0x700000007ull;
    }
}

// found: elements_of_twelve
// Of elements of 12 bytes, a member of one may be where another one of another element is, as far as powers of two say.
extern "C" __global__ void elements_of_twelve(Odd *table, int *out, int first) {
    unsigned lane = threadIdx.x, seen = 1;
    if (lane) {
        do seen = *(volatile unsigned *)&table[first].value;
        while (!seen);
    }
    out[lane] = seen;
    if (!lane) {
        unsigned *words = (unsigned *)table;
        for (int i = 0; i < 12; ++i) *(volatile unsigned *)&words[i] = 7;
    }
}

// found: through_a_pointer
// The pointer that the loop moves on leads into the table that it began in.
extern "C" __global__ void through_a_pointer(Pair *table, int *out, int n) {
    unsigned lane = threadIdx.x, seen = 1;
    if (lane) {
        do seen = *(volatile unsigned *)&table[lane & 3].value;
        while (!seen);
    }
    out[lane] = seen;
    if (!lane) {
        for (Pair *at = table, *end = table + n; at != end; ++at) *(volatile unsigned *)&at->value = 7;
    }
}
