// Harris/Michael list: search unlinks marked nodes by CAS (failing: another changed that link, restart), walks a list
// that ends with a tail; insertion CAS fails only if the link was changed by another. Next of the head is never
// marked.

// nothing: ins
// links: index<<1 | mark, 0 is the end; node 1 is the head
__device__ bool insert(unsigned *next, int *key, unsigned me, int k)
{
    key[me] = k;
retry:
    unsigned prev = 1;
    unsigned cur = ((volatile unsigned *)next)[prev] >> 1;
    while (cur) {
        unsigned succ = ((volatile unsigned *)next)[cur];
        if (succ & 1) {
            if (atomicCAS(&next[prev], cur << 1, succ & ~1u) != cur << 1) goto retry;
            cur = succ >> 1;
            continue;
        }
        if (key[cur] >= k) break;
        prev = cur;
        cur = succ >> 1;
    }
    if (cur && key[cur] == k) return false;
    next[me] = cur << 1;
    __threadfence();
    if (atomicCAS(&next[prev], cur << 1, me << 1) != cur << 1) goto retry;
    return true;
}
extern "C" __global__ void ins(unsigned *next, int *key, int *out)
{
    out[threadIdx.x] = insert(next, key, 2 + threadIdx.x, (threadIdx.x * 37 + 1) % 23);
}
