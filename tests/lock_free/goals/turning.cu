// Swaps that undo each other, which unoptimised code hides.

typedef unsigned u;
#define READ(x) (*(volatile u *)&(x))

__device__ u next_of[16] = {2, 0, 5, 0, 6}, first = 2;

// found: unmarked_and_marked_again
// Each swap writes what the other one compares with.
extern "C" __global__ void unmarked_and_marked_again(u *out) {
    u t = threadIdx.x;
    if (t == 0) {
        u at;
    again:
        at = READ(first);
        while (at) {
            u next = READ(next_of[at]);
            if (next & 1) {
                atomicCAS(&next_of[at], next, next ^ 1);
                atomicCAS(&next_of[at], next ^ 1, next);
                goto again;
            }
            if (at >= 4) break;
            at = next;
        }
        out[t] = at;
    } else
        atomicExch(&first, 4);
}
