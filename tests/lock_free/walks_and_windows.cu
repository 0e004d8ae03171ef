// Walks on which lanes exchange what they come by, windows over numbers, counters that get less by a difference, and places chosen by what was read.

// assumed: meet_from_two_sides
// The second of two that come to a place goes on, with what the first one has left there, at one end or the other.
extern "C" __global__ void meet_from_two_sides(int *left_at, const int *weight, int *top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = i, high = i;
    while (low > 0 || high < n - 1) {
        int found;
        if (low == 0 || (high < n - 1 && weight[high] < weight[low - 1])) {
            found = atomicExch(&left_at[high], low);
            if (found == -1) return;
            high = found;
        } else {
            found = atomicExch(&left_at[low - 1], high);
            if (found == -1) return;
            low = found;
        }
    }
    *top = i;
}

// found: gates_from_two_sides
// The same walk over gates, which are opened again behind it.
extern "C" __global__ void gates_from_two_sides(int *gate, const int *weight, int *work, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = i, high = i, held;
    while (true) {
        int found;
        if (weight[high] < weight[low]) {
            found = atomicExch(&gate[held = high], low);
            if (found == -1) break;
            high = found;
        } else {
            found = atomicExch(&gate[held = low + 1], high);
            if (found == -1) break;
            low = found;
        }
    }
    work[i] += 1;
    __threadfence();
    atomicExch(&gate[held], -1);
}

// found: gates_in_rounds
// The gates are opened again in a loop around the walk.
extern "C" __global__ void gates_in_rounds(int *gate, const int *weight, int *work, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < rounds; ++k) {
        int low = i, high = i, held;
        while (true) {
            int found;
            if (weight[high] < weight[low]) {
                found = atomicExch(&gate[held = high], low);
                if (found == -1) break;
                high = found;
            } else {
                found = atomicExch(&gate[held = low + 1], high);
                if (found == -1) break;
                low = found;
            }
        }
        work[i] += 1;
        __threadfence();
        atomicExch(&gate[held], -1);
    }
}

// found: begins_anew_from_two_sides
// Begins anew whenever another one has: two lanes may close places to each other for ever.
extern "C" __global__ void begins_anew_from_two_sides(int *left_at, const int *weight, volatile int *version, int *top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = i, high = i, seen = *version;
    while (low > 0 || high < n - 1) {
        int now = *version, found;
        if (now != seen) {
            seen = now;
            low = high = i;
            continue;
        }
        if (weight[high] < weight[low]) {
            found = atomicExch(&left_at[high], low);
            if (found == -1) return;
            high = found;
        } else {
            found = atomicExch(&left_at[low + n], high);
            if (found == -1) return;
            low = found;
        }
    }
    top[i] = 1;
    atomicAdd((int *)version, 1);
}

// found: put_back_on_the_walk
// What was taken is put back in the same round, where others look.
extern "C" __global__ void put_back_on_the_walk(int *gate, const int *weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = i, high = i;
    while (true) {
        int found, held;
        if (weight[high] < weight[low]) {
            found = atomicExch(&gate[held = high], low);
            if (found == -1) return;
            high = found;
        } else {
            found = atomicExch(&gate[held = low + 1], high);
            if (found == -1) return;
            low = found;
        }
        *(volatile int *)&gate[held] = found;
    }
}

// assumed: least_free_colour
// The least number that no neighbour has, 32 at a time.
extern "C" __global__ void least_free_colour(const int *row, const int *neighbour, volatile int *colour, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int base = 0;; base += 32) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = colour[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (~used != 0) {
            colour[v] = base + __ffs(~used) - 1;
            break;
        }
    }
}

// found: all_have_come
// Stays until somebody has drawn each number of the window.
extern "C" __global__ void all_have_come(const int *row, const int *neighbour, volatile int *drawn, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int base = 0;; base += 32) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = drawn[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (~used == 0) break;
    }
    drawn[v] = v;
}

// found: window_that_nobody_is_in
// Stays until somebody has drawn a number of the window.
extern "C" __global__ void window_that_nobody_is_in(const int *row, const int *neighbour, volatile int *drawn, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int base = 0;; base += 32) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = drawn[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (used != 0) break;
    }
    drawn[v] = v;
}

// found: window_that_stays
// Stays while all numbers of one window are taken, until somebody gives one back.
extern "C" __global__ void window_that_stays(const int *row, const int *neighbour, volatile int *taken, int base, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int rounds = 0;; rounds += 32) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = taken[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (~used != 0) break;
    }
    taken[v] = -1;
}

// found: window_that_comes_back
// The window moves between two places, both of which may stay full.
extern "C" __global__ void window_that_comes_back(const int *row, const int *neighbour, volatile int *taken, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int base = 0;; base = (base + 32) & 63) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = taken[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (~used != 0) break;
    }
    taken[v] = -1;
}

// found: window_never_emptied
// What was taken in one window is still marked in the next one.
extern "C" __global__ void window_never_emptied(const int *row, const int *neighbour, volatile int *colour, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned used = 0;
    for (int base = 0;; base += 32) {
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = colour[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        if (~used != 0) break;
    }
    colour[v] = __ffs(~used);
}

// found: window_with_a_flag
// Each number is taken in a window that counts, but one is a flag.
extern "C" __global__ void window_with_a_flag(const int *row, const int *neighbour, volatile int *colour, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int base = 0;; base += 32) {
        unsigned used = 0;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int c = colour[neighbour[e]] - base;
            if (c >= 0 && c < 32) used |= 1u << c;
        }
        used |= (unsigned)colour[n];
        if (~used != 0) break;
    }
    colour[v] = 1;
    if (v == 0) colour[n] = 0;
}

// found: sums_while_it_waits
// A loop that ends by itself is no reason for the one around it to end.
extern "C" __global__ void sums_while_it_waits(volatile int *flag, const int *number, int *sum, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = 0;
    if (t >= n) return;
    while (flag[t] == 0)
        for (int i = 0; i < n; ++i) all += number[i] * all;
    sum[t] = all;
    flag[t ^ 1] = 1;
}

// assumed: moved_nearer
// What is free is moved nearer, by at least one place each time.
extern "C" __global__ void moved_nearer(unsigned *map, unsigned mask, int *distance, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int away = distance[t], at = t + away;
    while (away > 7) {
        unsigned bits = *(volatile unsigned *)&map[(at - 7) & mask];
        int first = __ffs(bits) - 1;
        if (first < 0 || first >= 7) break;
        if (atomicCAS(&map[(at - 7) & mask], bits, bits & ~(1u << first) | 128u) != bits) break;
        at -= 7 - first;
        away -= 7 - first;
    }
    distance[t] = away;
    atomicOr(&map[at & mask], 1u);
}

// found: nearer_or_not
// The place may be no nearer than before: the lane asks for it again and again, until another one clears the mark.
extern "C" __global__ void nearer_or_not(unsigned *map, unsigned mask, int *distance, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int away = distance[t], at = t + away;
    while (away > 7) {
        unsigned bits = *(volatile unsigned *)&map[(at - 7) & mask];
        int first = __ffs(bits) - 1;
        if (first < 0 || first > 7) break;
        at -= 7 - first;
        away -= 7 - first;
    }
    distance[t] = away;
    atomicAnd(&map[at & mask], ~128u);
}

// found: farther_or_nearer
// Two numbers of which nothing says which one is greater.
extern "C" __global__ void farther_or_nearer(unsigned *map, unsigned mask, int *distance, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int away = distance[t], at = t + away;
    while (away > 7) {
        unsigned bits = *(volatile unsigned *)&map[(at - 7) & mask];
        int first = __ffs(bits), last = 31 - __clz(bits);
        if (first > 8) break;
        at -= last - first;
        away -= last - first;
    }
    distance[t] = away;
    atomicAnd(&map[at & mask], ~128u);
}

// found: less_without_a_sign
// What is greater without a sign may be negative: the lane goes back and forth until a word changes.
extern "C" __global__ void less_without_a_sign(unsigned *map, unsigned mask, int *distance, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int away = distance[t];
    while (away > 7) {
        unsigned less = *(volatile unsigned *)&map[away & mask], more = *(volatile unsigned *)&map[(away & mask) + 1];
        if (less >= more) break;
        away -= more - less;
    }
    distance[t] = away;
    atomicExch(&map[t & mask], 0u);
}

// assumed: bucket_filled_from_the_left
// Claims the place behind those that are taken; where the key is told elsewhere.
extern "C" __global__ void bucket_filled_from_the_left(unsigned *bucket, unsigned buckets, const unsigned *keys, int *where, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned key = keys[t], first = key % buckets * 4;
    int placed = -1;
    while (true) {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[first + j] != 0;
        if (taken == 4) break;
        if (atomicCAS(&bucket[first + taken], 0u, key) == 0) {
            placed = first + taken;
            break;
        }
    }
    where[t] = placed;
}

// found: bucket_that_gets_free_again
// The key is taken out again behind the loop: others may wait for that.
extern "C" __global__ void bucket_that_gets_free_again(unsigned *bucket, unsigned buckets, const unsigned *keys, int *where, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned key = keys[t], first = key % buckets * 4;
    int placed;
    while (true) {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[first + j] != 0;
        if (atomicCAS(&bucket[first + (taken & 3)], 0u, key) == 0) {
            placed = first + (taken & 3);
            break;
        }
    }
    where[t] += 1;
    bucket[placed] = 0;
}

// found: one_place_of_another_name
// Asks for one place, which may be given back through another pointer.
extern "C" __global__ void one_place_of_another_name(unsigned *mine, unsigned *next, int *work, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    while (atomicCAS(&mine[t], 1u, 0u) != 1u) {}
    next[t] = 1;
}

// found: waits_for_a_place
// Tries only if there is one left: who finds none asks again.
extern "C" __global__ void waits_for_a_place(unsigned *bucket, unsigned *given_back, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    bool placed = false;
    do {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[j] != 0;
        if (taken < 4) placed = atomicCAS(&bucket[taken], 0u, 1u) == 0;
    } while (!placed);
    given_back[t] = 0;
}

// found: place_handed_on_in_rounds
// Who has got the place hands it on in the next round of a loop around.
extern "C" __global__ void place_handed_on_in_rounds(unsigned *box, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    for (int k = 0; k < n; ++k) {
        while (true) {
            unsigned at = *(volatile unsigned *)&box[0] & 7;
            if (atomicCAS(&box[1 + at], (unsigned)t, (unsigned)(t + 1) % n) == t) break;
        }
        out[k] = 1;
    }
}

// found: place_told_by_a_flag
// A flag of another name decides as well.
extern "C" __global__ void place_told_by_a_flag(unsigned *bucket, volatile int *open, int *done, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    while (true) {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[j] != 0;
        if (atomicCAS(&bucket[taken & 3], 0u, 1u) == 0 || open[0] != 0) break;
    }
    done[t] = 1;
}

// found: place_given_on_behind_a_fence
// What others wait for is told behind a fence.
extern "C" __global__ void place_given_on_behind_a_fence(unsigned *bucket, unsigned *next, int *work, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    while (true) {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[j] != 0;
        if (atomicCAS(&bucket[taken & 3], 0u, 1u) == 0) break;
    }
    work[t] += 1;
    __threadfence();
    next[t & 3] = 0;
}

// found: place_given_on_at_once
// What others wait for is told by a volatile store.
extern "C" __global__ void place_given_on_at_once(unsigned *bucket, volatile unsigned *next, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    while (true) {
        int taken = 0;
        for (int j = 0; j < 4; ++j) taken += *(volatile unsigned *)&bucket[j] != 0;
        if (atomicCAS(&bucket[taken & 3], 0u, 1u) == 0) break;
    }
    next[t & 3] = 0;
}
