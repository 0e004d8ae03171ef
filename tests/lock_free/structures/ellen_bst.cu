// Ellen, Fatourou, Ruppert, van Breugel 2010: leaf-oriented BST insert with Info records and helping.
typedef unsigned long long u64;
struct Node { int key; unsigned left, right; u64 update; };     // update: info << 2 | state; left == 0: leaf
struct Info { unsigned p, internal, l; };
#define CLEAN 0
#define IFLAG 1
__device__ __forceinline__ unsigned ld(unsigned *p) { return *(volatile unsigned *)p; }
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ void cas_child(Node *pool, unsigned parent, unsigned old, unsigned fresh) {
    if (pool[fresh].key < pool[parent].key) atomicCAS(&pool[parent].left, old, fresh);
    else atomicCAS(&pool[parent].right, old, fresh);
}
__device__ void help_insert(Node *pool, Info *infos, unsigned op) {
    Info *i = infos + op;
    cas_child(pool, *(volatile unsigned *)&i->p, *(volatile unsigned *)&i->l, *(volatile unsigned *)&i->internal);
    atomicCAS(&pool[*(volatile unsigned *)&i->p].update, (u64)op << 2 | IFLAG, (u64)op << 2 | CLEAN);
}
__device__ bool insert(Node *pool, Info *infos, unsigned root, unsigned me, int key) {
    unsigned leaf = 3 * me + 8, internal = leaf + 1, sibling = leaf + 2, op = me + 1;
    pool[leaf].key = key; pool[leaf].left = 0;
    while (true) {
        unsigned p = root, l = root;
        u64 pupdate = 0;
        while (ld(&pool[l].left) != 0) {
            p = l;
            pupdate = ld(&pool[p].update);
            l = key < pool[l].key ? ld(&pool[p].left) : ld(&pool[p].right);
        }
        if (pool[l].key == key) return false;
        if ((pupdate & 3) != CLEAN) { help_insert(pool, infos, pupdate >> 2); continue; }
        int lk = pool[l].key;
        pool[sibling].key = lk; pool[sibling].left = 0;
        pool[internal].key = max(key, lk); pool[internal].update = 0;
        pool[internal].left = key < lk ? leaf : sibling;
        pool[internal].right = key < lk ? sibling : leaf;
        infos[op].p = p; infos[op].internal = internal; infos[op].l = l;
        __threadfence();
        u64 result = atomicCAS(&pool[p].update, pupdate, (u64)op << 2 | IFLAG);
        if (result == pupdate) { help_insert(pool, infos, op); return true; }
        if ((result & 3) == IFLAG) help_insert(pool, infos, result >> 2);
    }
}
// still found: k
extern "C" __global__ void k(Node *pool, Info *infos, unsigned root, const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(pool, infos, root, i, keys[i]);
}
