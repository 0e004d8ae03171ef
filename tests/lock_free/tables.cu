// Hash tables, sets and maps.

// nothing: insert
// Open addressing: as many slots are looked at as there are.
extern "C" __global__ void insert(unsigned *table, const unsigned *keys, unsigned capacity, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t], at = key * 2654435761u & (capacity - 1);
    for (unsigned tries = 0; tries < capacity; ++tries) {
        unsigned old = atomicCAS(&table[at], 0, key);
        if (old == 0 || old == key) break;
        at = (at + 1) & (capacity - 1);
    }
    out[t] = at;
}

// nothing: find
extern "C" __global__ void find(const unsigned *table, const unsigned *keys, unsigned capacity, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t], at = key & (capacity - 1), value = 0;
    for (unsigned tries = 0; tries < capacity; ++tries) {
        unsigned there = *(volatile const unsigned *)&table[at];
        if (there == key) value = at + 1;
        if (there == key || there == 0) break;
        at = (at + 1) & (capacity - 1);
    }
    out[t] = value;
}

// nothing: erase
// Erased slots are marked; whoever is overtaken looks at the same slot again.
extern "C" __global__ void erase(unsigned *table, const unsigned *keys, unsigned capacity, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t], tries = 0, done = 0;
    while (tries < capacity) {
        unsigned *slot = &table[(key + tries) & (capacity - 1)], there = *(volatile unsigned *)slot;
        if (there == 0) break;
        if (there == key) {
            if (atomicCAS(slot, key, 0xffffffffu) != key) continue;
            done = 1;
            break;
        }
        ++tries;
    }
    out[t] = done;
}

// nothing: insert_or_add
// A slot that is empty is claimed, one that is another one's is passed by, and the value is added behind the loop.
extern "C" __global__ void insert_or_add(unsigned long long *slots, const unsigned *keys, unsigned capacity, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t] + 1, at = key & (capacity - 1), tries = 0;
    for (;;) {
        unsigned long long now = *(volatile unsigned long long *)&slots[at];
        if ((unsigned)(now >> 32) != 0 && (unsigned)(now >> 32) != key) {
            if (++tries >= capacity) break;
            at = (at + 1) & (capacity - 1);
            continue;
        }
        if (atomicCAS(&slots[at], now, ((unsigned long long)key << 32) | ((unsigned)now + 1)) == now) break;
    }
    out[t] = at;
}

// nothing: bloom_set
extern "C" __global__ void bloom_set(unsigned *bits, const unsigned *keys, unsigned *fresh) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, hash = keys[t], was = 1;
    for (int k = 0; k < 4; ++k) {
        hash = hash * 1664525u + 1013904223u;
        unsigned *word = &bits[hash >> 22], bit = 1u << (hash >> 5 & 31), now = *(volatile unsigned *)word;
        while ((now & bit) == 0) {
            unsigned seen = atomicCAS(word, now, now | bit);
            if (seen == now) { was = 0; break; }
            now = seen;
        }
    }
    fresh[t] = !was;
}

// nothing: unite
// Union-find: roots are hooked under smaller ones by comparing and swapping what each of them points to.
extern "C" __global__ void unite(int *parent, const int2 *edges, int *out, int vertices) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, a = edges[t].x, b = edges[t].y, steps = 0;
    while (a != b && steps < 4 * vertices) {
        if (a < b) { int c = a; a = b; b = c; }
        int above = *(volatile int *)&parent[a];
        if (above == a) {
            int old = atomicCAS(&parent[a], a, b);
            if (old == a) break;
            above = old;
        }
        a = above;
        ++steps;
    }
    out[t] = b;
}

// nothing: skip_list_level
// One level of a skip list: the new node is linked between two that are known.
extern "C" __global__ void skip_list_level(int *next, const int *before, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x + 64, place = before[t], after;
    do {
        after = *(volatile int *)&next[place];
        if (after < 0) break;
        next[t] = after;
        __threadfence();
    } while (atomicCAS(&next[place], after, t) != after);
    out[t] = after;
}

// found: pending_slot
// A slot that somebody is filling is waited for.
extern "C" __global__ void pending_slot(unsigned *table, const unsigned *keys, unsigned capacity, unsigned *out) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, key = keys[t] + 2, at = key & (capacity - 1), tries = 0;
    while (tries < capacity) {
        unsigned there = *(volatile unsigned *)&table[at];
        if (there == 1) continue;
        if (there == key) break;
        if (there == 0 && atomicCAS(&table[at], 0, 1) == 0) break;
        if (there != 0) { at = (at + 1) & (capacity - 1); ++tries; }
    }
    out[at] = key;
    __threadfence();
    atomicExch(&table[at], key);
}
