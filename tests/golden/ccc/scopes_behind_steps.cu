// Inline assembly in braces, as the headers of half numbers write it, belongs to the task behind a loop that is run in steps: it is copied for lanes without a step.
//
// RUN: ccc --block 96
// REPORT: region line 12 in loop line 9
// LAUNCH: half 2 96 i32:250 u32[250]=below:3000:1 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void half(int n, const unsigned *__restrict__ start, unsigned *__restrict__ steps) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = start[i], count = 0;
//#CCC while
        while (x > 1) {
            x = x & 1 ? 3 * x + 1 : x >> 1;
            ++count;
        }
        unsigned twice;
        asm("{add.u32 %0, %1, %1;}" : "=r"(twice) : "r"(count));
        asm("{.reg .b32 t; mov.b32 t, %1; {add.u32 %0, t, 1;}}" : "=r"(steps[i]) : "r"(twice));
    }
}
