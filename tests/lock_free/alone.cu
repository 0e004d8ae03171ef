// What a lane does in a loop while it is alone: lists whose links come from two reads, indices that are shifted and scaled, what it has chosen from
// several words, and registers that get less and less. Beside them, loops that are as long, and wait.

struct Entry {
    unsigned key;
    unsigned count;
    int next;
};

__device__ __forceinline__ unsigned seen(const unsigned *at) { return *(const volatile unsigned *)at; }

// assumed: append_to_chain
extern "C" __global__ void append_to_chain(int *heads, Entry *pool, const unsigned *keys, int n)
{
    int mine = blockIdx.x * blockDim.x + threadIdx.x;
    if (mine >= n) return;
    int *link = &heads[keys[mine] % 61];
    while (true) {
        int at = *(volatile int *)link;
        if (at < 0) {
            at = atomicCAS(link, -1, mine);
            if (at < 0) break;
        }
        if (pool[at].key == keys[mine]) {
            atomicAdd(&pool[at].count, 1);
            break;
        }
        link = &pool[at].next;
    }
}

// assumed: root_by_splitting
extern "C" __global__ void root_by_splitting(unsigned *parent, unsigned *roots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = i;
    while (true) {
        unsigned above = seen(&parent[x]);
        unsigned next = seen(&parent[above]);
        if (above == next) break;
        atomicCAS(&parent[x], above, next);
        x = above;
    }
    roots[i] = x;
}

// nothing: nearest_part
extern "C" __global__ void nearest_part(const unsigned *table, unsigned *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned part = i;
    while (part != 0 && seen(&table[part]) == 0) part &= ~(0x80000000u >> __clz(part));
    found[i] = part;
}

// assumed: greatest_so_far
extern "C" __global__ void greatest_so_far(int *bits, const float *values, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int old = *bits;
        while (values[i] > __int_as_float(old)) old = atomicCAS(bits, old, __float_as_int(values[i]));
    }
}

// found: wait_beside_a_list
extern "C" __global__ void wait_beside_a_list(unsigned *flags, Entry *pool, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, length;
    if (i >= n) return;
    if (i & 1) {
        do {
            length = 0;
            for (int at = *(volatile int *)&pool[0].next; at != 0; at = *(volatile int *)&pool[at].next) ++length;
        } while (seen(&flags[i - 1]) == 0);
        pool[i].count = length;
    } else {
        atomicExch(&flags[i], 1);
    }
}

// found: wait_round_a_ring
extern "C" __global__ void wait_round_a_ring(unsigned *flags, Entry *pool, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i & 1) {
        int at = i;
        while (seen(&flags[at]) == 0) at = pool[at].next;
        pool[i].count = at;
    } else {
        atomicExch(&flags[i], 1);
    }
}

// found: wait_until_even
extern "C" __global__ void wait_until_even(unsigned *version, unsigned *data, int n)
{
    int i = threadIdx.x;
    if (i == 0) {
        atomicAdd(version, 1);
        data[0] = n;
        __threadfence();
        atomicAdd(version, 1);
    }
    unsigned before, what;
    do {
        before = seen(version) & ~1u;
        what = seen(&data[0]);
        __threadfence();
    } while (seen(version) != before);
    data[i + 1] = what;
}

// found: wait_with_tokens
extern "C" __global__ void wait_with_tokens(unsigned *tokens, unsigned *flags, int n)
{
    int i = threadIdx.x;
    if (i & 1) {
        while (seen(&flags[i - 1]) == 0) {
            unsigned left = seen(tokens);
            if (left > 0) atomicCAS(tokens, left, left - 1);
        }
    } else {
        atomicExch(&flags[i], n);
    }
}
