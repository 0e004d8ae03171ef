// One 64-bit word of head and tail; CAS of what was just read; full/empty leaves. Failing means that the word was
// changed by another.

// nothing: fifo
extern "C" __global__ void fifo(unsigned long long *ht, int *slots, int *out)
{
    int t = threadIdx.x;
    unsigned long long cur = *ht, next;
    bool ok = false;
    do {
        unsigned h = (unsigned)cur, l = (unsigned)(cur >> 32);
        if (l - h >= 16) break;
        next = ((unsigned long long)(l + 1) << 32) | h;
        unsigned long long prev = atomicCAS(ht, cur, next);
        ok = prev == cur;
        if (ok) { atomicExch(&slots[l & 15], t); }
        cur = prev;
    } while (!ok);
    out[t] = ok;
    if (t & 1) {
        cur = atomicAdd(ht, 0ull);
        while ((unsigned)cur != (unsigned)(cur >> 32)) {
            unsigned long long prev = atomicCAS(ht, cur, (cur & 0xffffffff00000000ull) | (unsigned)((unsigned)cur + 1));
            if (prev == cur) { out[t] += 2 * atomicExch(&slots[(unsigned)cur & 15], -1); break; }
            cur = prev;
        }
    }
}
