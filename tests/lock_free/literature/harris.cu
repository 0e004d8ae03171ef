// Harris ordered linked list (DISC 2001).
#include <cuda/atomic>
#include <cstdint>

// link word: idx << 1 | mark ; node 0 = head sentinel, node 1 = tail sentinel
struct HList { unsigned *link; const int *key_ro; int *key; };

__device__ __forceinline__ unsigned lk(const HList &l, unsigned n) { return ((volatile unsigned *)l.link)[n]; }

__device__ unsigned h_search(const HList &l, int key, unsigned *left_out)
{
    for (;;) {
        unsigned left = 0, left_next = lk(l, 0), t = 0, t_next = left_next;
        do {
            if (!(t_next & 1u)) { left = t; left_next = t_next; }
            t = t_next >> 1;
            if (t == 1) break;
            t_next = lk(l, t);
        } while ((t_next & 1u) || ((volatile int *)l.key)[t] < key);
        unsigned right = t;
        if ((left_next >> 1) == right) {
            if (right != 1 && (lk(l, right) & 1u)) continue;
            *left_out = left;
            return right;
        }
        if (atomicCAS(&l.link[left], left_next, right << 1) == left_next) {
            if (right != 1 && (lk(l, right) & 1u)) continue;
            *left_out = left;
            return right;
        }
    }
}

// assumed: harris_insert
// Harris list, insert of unique keys (T. Harris DISC 2001)
extern "C" __global__ void harris_insert(HList l, const int *keys, int *ok, unsigned first, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        unsigned n = first + tid * per_thread + k;
        int key = keys[tid * per_thread + k], res;
        ((volatile int *)l.key)[n] = key;
        while (true) {
            unsigned left, right = h_search(l, key, &left);
            if (right != 1 && l.key[right] == key) { res = 0; break; }
            ((volatile unsigned *)l.link)[n] = right << 1;
            __threadfence();
            if (atomicCAS(&l.link[left], right << 1, n << 1) == right << 1) { res = 1; break; }
        }
        ok[tid * per_thread + k] = res;
    }
}

// assumed: harris_erase
// Harris list, delete: mark first, then unlink or leave it to a search (DISC 2001)
extern "C" __global__ void harris_erase(HList l, const int *keys, int *ok, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        int key = keys[tid * per_thread + k];
        unsigned left, right, rn;
        bool deleted = false;
        for (;;) {
            right = h_search(l, key, &left);
            if (right == 1 || l.key[right] != key) break;
            rn = lk(l, right);
            if (rn & 1u) continue;
            if (atomicCAS(&l.link[right], rn, rn | 1u) == rn) { deleted = true; break; }
        }
        if (deleted && atomicCAS(&l.link[left], right << 1, rn) != right << 1)
            h_search(l, key, &left);
        ok[tid * per_thread + k] = deleted;
    }
}

// nothing: harris_contains
// Harris list, wait-free membership test that walks over marked nodes
extern "C" __global__ void harris_contains(const volatile unsigned *link, const int *key, const int *q,
                                           unsigned char *hit, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        int want = q[tid * per_thread + k];
        unsigned c = link[0] >> 1;
        while (c != 1 && __ldcg(&key[c]) < want) c = link[c] >> 1;
        hit[tid * per_thread + k] = c != 1 && __ldcg(&key[c]) == want && !(link[c] & 1u);
    }
}

// ---- pointer marking, templates, libcu++ -----------------------------------
template <class K> struct PNode {
    K key;
    uintptr_t next;                    // lowest bit = deleted
};

template <class K> struct PList {
    PNode<K> *head;                    // sentinel, always there
    using N = PNode<K>;
    using Ref = cuda::atomic_ref<uintptr_t, cuda::thread_scope_device>;

    static __device__ N *ptr(uintptr_t w) { return (N *)(w & ~(uintptr_t)1); }

    __device__ N *find(K key, N *&pred)
    {
    again:
        pred = head;
        N *cur = ptr(Ref(pred->next).load(cuda::memory_order_acquire));
        while (cur) {
            uintptr_t nx = Ref(cur->next).load(cuda::memory_order_acquire);
            while (nx & 1) {
                uintptr_t exp = (uintptr_t)cur;
                if (!Ref(pred->next).compare_exchange_strong(exp, nx & ~(uintptr_t)1)) goto again;
                cur = ptr(nx);
                if (!cur) return nullptr;
                nx = Ref(cur->next).load(cuda::memory_order_acquire);
            }
            if (!(cur->key < key)) return cur;
            pred = cur;
            cur = ptr(nx);
        }
        return nullptr;
    }
    __device__ bool insert(N *n)
    {
        for (;;) {
            N *p, *c = find(n->key, p);
            if (c && c->key == n->key) return false;
            Ref(n->next).store((uintptr_t)c, cuda::memory_order_relaxed);
            uintptr_t exp = (uintptr_t)c;
            if (Ref(p->next).compare_exchange_strong(exp, (uintptr_t)n)) return true;
        }
    }
    __device__ bool erase(K key)
    {
        while (true) {
            N *p, *c = find(key, p);
            if (!c || c->key != key) return false;
            uintptr_t nx = Ref(c->next).load();
            if (nx & 1) continue;
            if (!Ref(c->next).compare_exchange_strong(nx, nx | 1)) continue;
            uintptr_t exp = (uintptr_t)c;
            Ref(p->next).compare_exchange_strong(exp, nx);     // best effort
            return true;
        }
    }
};

// nothing: harris_ptrmark_mix
// Harris/Michael list with marked pointers, insert and erase mixed, cuda::atomic_ref (Herlihy-Shavit ch. 9)
extern "C" __global__ void harris_ptrmark_mix(PList<long long> l, PNode<long long> *pool, const long long *keys,
                                              int *stat, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int i = 0; i < ops; ++i) {
        PNode<long long> *n = &pool[tid * ops + i];
        n->key = keys[tid * ops + i];
        s += l.insert(n) ? 1 : 0;
        if (i > 0 && (i & 1)) s += l.erase(keys[tid * ops + i - 1]) ? 256 : 0;
    }
    stat[tid] = s;
}
