// A marked do-while inside: Newton's square roots of whole numbers, with a stop after a number of rounds.
//
// RUN: ccc --block 96
// LAUNCH: steps_do_while 2 96 i32:1000 u32[1000]=below:1000000:1 u32[1000]=0
// LAUNCH: steps_do_while 1 33 i32:77 u32[1000]=below:1000000:2 u32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void steps_do_while(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = in[i], x = v, y = (x + 1) / 2;
//#CCC while
        do {
            if (y >= x) break;
            x = y;
            y = (x + v / x) / 2;
        } while (x > 0);
        out[i] = x;
    }
}
