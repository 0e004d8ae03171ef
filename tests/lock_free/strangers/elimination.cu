// Central CAS; if it fails (another succeeded), an exchange slot is offered and looked at at most 16 times, then
// withdrawn by CAS; withdrawal fails only because a partner has taken it, and then it is done. So each failing round
// has another's success.

// nothing: elim
extern "C" __global__ void elim(unsigned *head, unsigned *next, unsigned *xch, int *out)
{
    unsigned id = threadIdx.x + 1;
    bool push = threadIdx.x & 1, done = false;
    int r = 0;
    while (!done) {
        unsigned h = *(volatile unsigned *)head;
        if (push) {
            next[id] = h; __threadfence();
            if (atomicCAS(head, h, id) == h) { r = 1; break; }
        } else {
            if (h == 0) break;
            if (atomicCAS(head, h, ((volatile unsigned *)next)[h]) == h) { r = h; break; }
        }
        unsigned *x = &xch[threadIdx.x >> 2];
        if (push) {
            if (atomicCAS(x, 0u, id) == 0u) {
                for (int i = 0; i < 16 && *(volatile unsigned *)x == id; ++i) ;
                if (atomicCAS(x, id, 0u) != id) { done = true; r = 2; }
            }
        } else {
            unsigned v = *(volatile unsigned *)x;
            if (v && atomicCAS(x, v, 0u) == v) { done = true; r = v; }
        }
    }
    out[threadIdx.x] = r != 0;
}
