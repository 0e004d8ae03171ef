// Finds the lowest non-empty bucket (counts), takes one by CAS; a failing CAS means that another has changed that
// count; all empty: leaves. Nobody fills buckets in this phase or else that is their success.

// nothing: delmin
extern "C" __global__ void delmin(int *cnt, int *out)
{
    int p = -1;
    for (;;) {
        int b = 0, c = 0;
        for (; b < 8; ++b) { c = *(volatile int *)&cnt[b]; if (c > 0) break; }
        if (b == 8) break;
        if (atomicCAS(&cnt[b], c, c - 1) == c) { p = b; break; }
    }
    out[threadIdx.x] = p;
}
