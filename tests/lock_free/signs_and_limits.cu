// Numbers that a lane alone takes further in each round, and that end so late that it has waited: at the sign of a reader lock, behind the last number, after loops in loops.

// found: readers_by_sign
// A writer holds the sign; whoever adds below it comes to 0 after 2^31 rounds.
extern "C" __global__ void readers_by_sign(unsigned *lock, int *data, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t % 8 == 0) {
        while (atomicCAS(lock, 0u, 0x80000000u) != 0) {}
        *(volatile int *)data += 1;
        __threadfence();
        atomicAnd(lock, 0x7fffffffu);
        return;
    }
    while ((int)atomicAdd(lock, 1u) < 0) {}
    out[t] = *(volatile int *)data;
}

// found: readers_by_sign_alone
extern "C" __global__ void readers_by_sign_alone(unsigned long long *lock, int *out) {
    while ((long long)atomicAdd(lock, 1ull) < 0) {}
    out[threadIdx.x] = 1;
    atomicAdd(lock, ~0ull);
}

// found: readers_by_swap
extern "C" __global__ void readers_by_swap(int *lock, int *out) {
    int seen, old = *(volatile int *)lock;
    do {
        seen = old;
        old = atomicCAS(lock, seen, seen + 1);
    } while (old < 0 || old != seen);
    out[threadIdx.x] = 1;
    atomicSub(lock, 1);
}

// found: away_from_the_end
// The number of those inside goes up while one waits for it to be small.
extern "C" __global__ void away_from_the_end(int *inside, int *out, int most) {
    while (atomicAdd(inside, 1) >= most) {}
    out[threadIdx.x] += 1;
    atomicExch(inside, 0);
}

// found: tries_until_it_traps
// Unoptimised, a branch back into the loop stands behind the trap, where nobody comes.
extern "C" __global__ void tries_until_it_traps(int *lock, int *out) {
    int tries = 0;
    while (atomicCAS(lock, 0, 1))
        if (++tries > 100000000) __trap();
    out[threadIdx.x] = 1;
    atomicExch(lock, 0);
}

// found: tries_until_it_exits
extern "C" __global__ void tries_until_it_exits(volatile int *flag, int *out) {
    if (threadIdx.x < 3) {
        int tries = 0;
        while (!*flag)
            if (++tries > 100000000) asm volatile("exit;");
        out[threadIdx.x] = 1;
    } else
        *flag = 1;
}

// found: tries_until_a_flag_is_greater
extern "C" __global__ void tries_until_a_flag_is_greater(int *flag, int *out) {
    int tries = 0;
    while (*(volatile int *)flag <= tries) ++tries;
    out[threadIdx.x] = tries;
    *(volatile int *)flag = 1 << 30;
}

// found: strides_behind_the_last_number
extern "C" __global__ void strides_behind_the_last_number(int *flag, int *out) {
    int i = 0;
    while (i < *(volatile int *)flag) i += 0x40000000;
    out[threadIdx.x] = i;
    *(volatile int *)flag = 0;
}

// found: tries_in_tries
extern "C" __global__ void tries_in_tries(int *lock, int *sum) {
    bool got = false;
    for (int i = 0; i < 65536 && !got; ++i)
        for (int j = 0; j < 65536 && !got; ++j) got = atomicCAS(lock, 0, 1) == 0;
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// nothing: probes_in_tables
extern "C" __global__ void probes_in_tables(unsigned *tables, unsigned *out, unsigned size) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, found = ~0u;
    for (int table = 0; table < 4 && found == ~0u; ++table)
        for (unsigned probe = 0; probe < 64 && found == ~0u; ++probe) {
            unsigned *slot = &tables[table * size + (t + probe) % size];
            if (atomicCAS(slot, 0u, t + 1) == 0) found = probe;
        }
    out[t] = found;
}

// nothing: tickets_up_to_an_end
extern "C" __global__ void tickets_up_to_an_end(int *next, const int *work, int *out, int most) {
    int ticket;
    while ((ticket = atomicAdd(next, 1)) < most)
        if (*(const volatile int *)&work[ticket] > 0) break;
    out[threadIdx.x] = ticket;
    if (ticket < most) *(volatile int *)&((int *)work)[ticket] = 0;
}

// nothing: tickets_from_a_pool
extern "C" __global__ void tickets_from_a_pool(int *left, const int *work, int *out) {
    int ticket, sum = 0;
    while ((ticket = atomicAdd(left, -1)) > 0) sum += work[ticket];
    out[threadIdx.x] = sum;
}

// found: sequence_lock
// An odd number is a lock that is held. Whoever has added 2 to it finds another number in the next round, which is its own.
extern "C" __global__ void sequence_lock(int *word, int *data) {
    int seen, old = *(volatile int *)word;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen + 2);
    } while (old != seen || (seen & 1));
    *(volatile int *)data += 1;
    __threadfence();
    atomicAdd(word, 1);
}
