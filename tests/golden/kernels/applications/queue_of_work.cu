// Items drawn from a counter: each thread takes the next one until there are none.
//
// RUN: ccc --block 96
// LAUNCH: work 2 96 i32:1000 i32[1]=0 u32[1000]=rand:11 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void work(int n, int *next, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i; (i = atomicAdd(next, 1)) < n;) {
        unsigned int x = in[i];
        //#CCC if
        if (x % 6 == 0) {
            for (int k = 0; k < 9; ++k) x = x * x + 0x1234567u;
            out[i] = x;
        }
    }
}
