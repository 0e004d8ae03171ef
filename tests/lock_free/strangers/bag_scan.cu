// One pass over all blocks' slots; each exchange or CAS once.

// nothing: bag
extern "C" __global__ void bag(int *slot, int *out)
{
    int me = threadIdx.x, got = 0;
    for (int i = 0; i < 4; ++i) if (atomicCAS(&slot[me * 4 + i], 0, me + 1) != 0) break;
    for (int b = 0; b < 32 && !got; ++b) {
        int *blk = &slot[((me + b) & 31) * 4];
        for (int i = 3; i >= 0; --i) {
            int v = *(volatile int *)&blk[i];
            if (v && atomicCAS(&blk[i], v, 0) == v) { got = v; break; }
        }
    }
    out[me] = got != 0;
}
