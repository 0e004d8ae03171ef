// A sorted list with deletion: mark by CAS (fails only if another changed the link), then try to unlink once; marked
// nodes on the way are unlinked by the search.

// still found: del
struct pos { unsigned prev, cur, succ; };
__device__ pos find(unsigned *next, const int *key, int k)
{
    for (;;) {
        pos p; p.prev = 1; bool again = false;
        p.cur = atomicOr(&next[1], 0) >> 1; p.succ = 0;
        while (p.cur != 0) {
            p.succ = atomicOr(&next[p.cur], 0);
            if (p.succ & 1) {
                if (atomicCAS(&next[p.prev], p.cur << 1, p.succ - 1) != (p.cur << 1)) { again = true; break; }
            } else {
                if (key[p.cur] >= k) break;
                p.prev = p.cur;
            }
            p.cur = p.succ >> 1;
        }
        if (!again) return p;
    }
}
extern "C" __global__ void del(unsigned *next, const int *key, int *out)
{
    int k = threadIdx.x + 2;
    bool mine = false;
    for (;;) {
        pos p = find(next, key, k);
        if (p.cur == 0 || key[p.cur] != k) break;
        if (p.succ & 1) continue;
        if (atomicCAS(&next[p.cur], p.succ, p.succ | 1) == p.succ) {
            mine = true;
            atomicCAS(&next[p.prev], p.cur << 1, p.succ);
            break;
        }
    }
    out[threadIdx.x] = mine;
}
