// Structures in one array of words, their links indices, as people write them for a trial: nobody waits in them.

// still found: queue_by_index
extern "C" __global__ void queue_by_index(volatile int *ends, volatile int *next, int *out) {
    int own = threadIdx.x + 1, got = 0;
    next[own] = 0;
    __threadfence();
    for (;;) {
        int tail = ends[1], behind = next[tail];
        if (ends[1] != tail) continue;
        if (behind) {
            atomicCAS((int *)ends + 1, tail, behind);
        } else if (atomicCAS((int *)next + tail, 0, own) == 0) {
            atomicCAS((int *)ends + 1, tail, own);
            break;
        }
    }
    for (;;) {
        int head = ends[0], tail = ends[1], behind = next[head];
        if (ends[0] != head) continue;
        if (head != tail) {
            if (atomicCAS((int *)ends, head, behind) == head) {
                got = behind;
                break;
            }
        } else {
            if (behind == 0) break;
            atomicCAS((int *)ends + 1, tail, behind);
        }
    }
    out[threadIdx.x] = got;
}

// still found: union_by_halving
extern "C" __global__ void union_by_halving(volatile int *parent, const int *other, int *out) {
    int a = threadIdx.x, b = other[threadIdx.x];
    for (;;) {
        while (parent[a] != a) {
            int up = parent[a], above = parent[up];
            if (up != above) atomicCAS((int *)parent + a, up, above);
            a = above;
        }
        while (parent[b] != b) b = parent[b];
        if (a == b) break;
        if (a < b) {
            int swapped = a;
            a = b;
            b = swapped;
        }
        if (atomicCAS((int *)parent + a, a, b) == a) break;
    }
    out[threadIdx.x] = 1;
}

// assumed: halves_paths
// The find of a union of sets takes two links in a round, and compares one with the other.
__device__ int root(int *parent, int at) {
    for (;;) {
        int up = *(volatile int *)&parent[at];
        if (up == at) return at;
        int above = *(volatile int *)&parent[up];
        if (above != up) atomicCAS(&parent[at], up, above);
        at = above;
    }
}
extern "C" __global__ void halves_paths(int *parent, const int *edges, int *out) {
    int one = edges[threadIdx.x], other = edges[threadIdx.x + 32];
    for (;;) {
        one = root(parent, one);
        other = root(parent, other);
        if (one == other || atomicCAS(&parent[max(one, other)], max(one, other), min(one, other)) == max(one, other)) break;
    }
    out[threadIdx.x] = root(parent, threadIdx.x);
}
