// FAA array queue: dequeue takes a ticket below tail and exchanges the slot; a slot not yet written is poisoned (the
// enqueuer then takes the next ticket). head>=tail: empty. Alone: enqueue's next ticket is a fresh slot or the array
// is at its end; dequeue's tickets reach tail.

// nothing: faaq
extern "C" __global__ void faaq(unsigned *ht, int *slot, int *out)
{
    int me = threadIdx.x, r = 0;
    for (;;) {
        unsigned t = atomicAdd(&ht[1], 1u);
        if (t >= 256) { r = -1; break; }
        if (atomicCAS(&slot[t], 0, me + 1) == 0) break;
    }
    for (;;) {
        if (*(volatile unsigned *)&ht[0] >= *(volatile unsigned *)&ht[1]) break;
        unsigned h = atomicAdd(&ht[0], 1u);
        if (h >= 256) break;
        int v = atomicExch(&slot[h], -1);
        if (v > 0) { r = v; break; }
    }
    out[me] = r >= 0;
}
