// The classic run of steps that differs from element to element, with the result stored behind the loop.
//
// RUN: ccc --block 96
// LAUNCH: steps_collatz 2 96 i32:300 u32[300]=below:300:1 i32[300]=0
// LAUNCH: steps_collatz 1 33 i32:77 u32[300]=below:300:2 i32[300]=0
// EXPECT: same-memory

extern "C" __global__ void steps_collatz(int n, const unsigned *__restrict__ start, int *__restrict__ length) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = start[i] + 1;
        int steps = 0;
//#CCC while
        while (x > 1) {
            ++steps;
            if (x % 2 == 0) { x /= 2; continue; }
            if (steps > 80) break;
            x = 3 * x + 1;
        }
        length[i] = steps * 1000 + (int)(x & 511);
    }
}
