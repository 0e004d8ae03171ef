// Michael's lists / hash table (SPAA 2002), priority buckets; a lazy list with locks for contrast.
typedef unsigned long long u64;

// word = tag:32 | next:31 | mark:1 ; index 0 means end of list
struct MNode { u64 next; int key; int val; };

class MList {
    MNode *pool;
public:
    struct Pos { u64 *prev; u64 cur; u64 next; };

    __device__ MList(MNode *p) : pool(p) {}
    __device__ static unsigned idx(u64 w) { return (unsigned)w >> 1; }
    __device__ static u64 word(u64 oldw, unsigned i, unsigned mark)
    {
        return (((oldw >> 32) + 1) << 32) | (i << 1) | mark;
    }
    __device__ static u64 get(u64 *p) { return *(volatile u64 *)p; }

    __device__ bool find(u64 *head, int key, Pos &p)
    {
    try_again:
        p.prev = head;
        p.cur = get(p.prev);
        while (true) {
            if (idx(p.cur) == 0) return false;
            MNode *c = pool + idx(p.cur);
            p.next = get(&c->next);
            int ckey = *(volatile int *)&c->key;
            if (get(p.prev) != p.cur) goto try_again;
            if (!(p.next & 1)) {
                if (ckey >= key) return ckey == key;
                p.prev = &c->next;
                p.cur = p.next;
            } else {
                u64 repl = word(p.cur, idx(p.next), 0);
                if (atomicCAS(p.prev, p.cur, repl) != p.cur) goto try_again;
                p.cur = repl;
            }
        }
    }
    __device__ bool insert(u64 *head, unsigned n, int key)
    {
        Pos p;
        pool[n].key = key;
        for (;;) {
            if (find(head, key, p)) return false;
            *(volatile u64 *)&pool[n].next = word(pool[n].next, idx(p.cur), 0);
            __threadfence();
            if (atomicCAS(p.prev, p.cur, word(p.cur, n, 0)) == p.cur) return true;
        }
    }
    __device__ bool remove(u64 *head, int key)
    {
        Pos p;
        for (;;) {
            if (!find(head, key, p)) return false;
            u64 *cn = &pool[idx(p.cur)].next;
            if (atomicCAS(cn, p.next, word(p.next, idx(p.next), 1)) != p.next) continue;
            if (atomicCAS(p.prev, p.cur, word(p.cur, idx(p.next), 0)) != p.cur) find(head, key, p);
            return true;
        }
    }
};

// nothing: michael_list_mix
// ordered list of M. Michael (SPAA 2002), tagged links, insert / remove / look up
extern "C" __global__ void michael_list_mix(u64 *head, MNode *pool, const int *keys, int *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
    MList l(pool);
    for (int i = 0; i < ops; ++i) {
        int id = tid * ops + i, k = keys[id];
        switch (i % 3) {
        case 0: r += l.insert(head, id + 1, k); break;
        case 1: r += l.remove(head, k) ? 100 : 0; break;
        default: { MList::Pos p; r += l.find(head, k, p) ? 10000 : 0; }
        }
    }
    out[tid] = r;
}

// nothing: michael_hash_mix
// hash table with Michael lists as buckets (SPAA 2002)
extern "C" __global__ void michael_hash_mix(u64 *bucket, int nb, MNode *pool, const int *ins, const int *del,
                                            int *n_ins, int *n_del, int n)
{
    MList l(pool);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = ins[i];
        n_ins[i] = l.insert(&bucket[(unsigned)k * 2654435761u % nb], i + 1, k);
        k = del[i];
        n_del[i] = l.remove(&bucket[(unsigned)k * 2654435761u % nb], k);
    }
}

// ---- bounded-range priority queue ------------------------------------------
struct PqItem { int next; int taken; int payload; };
struct BucketPq {
    int nprio;
    int *first;          // per priority: list head, -1 none
    PqItem *item;

    __device__ void add(int prio, int it)
    {
        item[it].taken = 0;
        int *h = first + prio, cur = *(volatile int *)h;
        for (;;) {
            *(volatile int *)&item[it].next = cur;
            __threadfence();
            int w = atomicCAS(h, cur, it);
            if (w == cur) return;
            cur = w;
        }
    }
    __device__ int removeMin(int *prio)
    {
        for (int p = 0; p < nprio; ++p) {
            for (int n = *(volatile int *)&first[p]; n >= 0; n = *(volatile int *)&item[n].next) {
                if (*(volatile int *)&item[n].taken) continue;
                if (atomicExch(&item[n].taken, 1) == 0) { *prio = p; return n; }
            }
        }
        return -1;
    }
};

// nothing: prio_bucket_mix
// bounded-range priority queue: a linked bin for every priority, items claimed by a flag (after Shavit, Zemach 1999)
extern "C" __global__ void prio_bucket_mix(BucketPq q, const int *prios, int *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        int it = tid * ops + i, p = -1;
        q.item[it].payload = it;
        q.add(prios[it] % q.nprio, it);
        int g = (i & 1) ? q.removeMin(&p) : -1;
        out[it] = g < 0 ? -1 : q.item[g].payload * q.nprio + p;
    }
}

// nothing: prio_bucket_stack_pop
// delete-min over Treiber bins, tagged heads, a non-empty bin is retried until it is popped or empty
extern "C" __global__ void prio_bucket_stack_pop(u64 *bin, int nbin, const unsigned *next, unsigned *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        unsigned got = 0;
        for (int b = 0; b < nbin && !got; ++b) {
            u64 h;
            while ((unsigned)(h = *(volatile u64 *)&bin[b]) != 0) {
                unsigned nx = *(volatile const unsigned *)&next[(unsigned)h];
                if (atomicCAS(&bin[b], h, (((h >> 32) + 1) << 32) | nx) == h) { got = (unsigned)h; break; }
            }
        }
        out[tid * ops + i] = got;
    }
}

// found: lazy_list_add_locked
// lazy list (Heller et al. 2005): two node locks around a validated insert
extern "C" __global__ void lazy_list_add_locked(int *lock, int *next, int *marked, int *key, const int *ins,
                                                int first, int *ok, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < per_thread; ++i) {
        int n = first + tid * per_thread + i, k = ins[tid * per_thread + i], r = -1;
        while (r < 0) {
            int p = 0, c = ((volatile int *)next)[0];
            while (((volatile int *)key)[c] < k) { p = c; c = ((volatile int *)next)[c]; }
            while (atomicCAS(&lock[p], 0, 1) != 0) { }
            while (atomicCAS(&lock[c], 0, 1) != 0) { }
            __threadfence();
            if (!((volatile int *)marked)[p] && !((volatile int *)marked)[c] && ((volatile int *)next)[p] == c) {
                r = ((volatile int *)key)[c] != k;
                if (r) {
                    ((volatile int *)key)[n] = k;
                    ((volatile int *)next)[n] = c;
                    __threadfence();
                    ((volatile int *)next)[p] = n;
                }
            }
            __threadfence();
            atomicExch(&lock[c], 0);
            atomicExch(&lock[p], 0);
        }
        ok[tid * per_thread + i] = r;
    }
}
