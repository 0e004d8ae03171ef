// At most 2*N+... steps (loop bound); each slot CAS'd once per visit.

// nothing: clk
extern "C" __global__ void clk(unsigned *st, unsigned *hand, int *out)
{
    int victim = -1;
    for (int n = 0; n < 64; ++n) {
        unsigned s = atomicInc(hand, 15u);
        unsigned v = *(volatile unsigned *)&st[s];
        if (v & 2) continue;                         // taken
        if (v & 1) { atomicAnd(&st[s], ~1u); continue; }
        if (atomicCAS(&st[s], 0u, 2u) == 0u) { victim = s; break; }
    }
    out[threadIdx.x] = victim >= 0;
}
