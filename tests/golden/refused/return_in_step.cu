// A `return` in a loop that is run in steps leaves the marked loop as well.
//
// RUN: ccc --block 96
// REFUSED: line 12: a step leaves the marked loop (a `return` or `goto`, or a `break` of both loops)
extern "C" __global__ void until(int n, const unsigned *__restrict__ start, unsigned *__restrict__ last) {
//#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned x = start[i];
//#CCC while
        while (x > 1) {
            x = x & 1 ? x - 1 : x >> 1;
            if (x == 77) return;
        }
        last[i] = x;
    }
}
