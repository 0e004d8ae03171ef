// The branch adds to an element atomically; the rest fetches and clears it atomically.
//
// RUN: ccc --block 96
// LAUNCH: atomics_then_read 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=7 i32[1000]=0
// LAUNCH: atomics_then_read 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=7 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void atomics_then_read(int n, const int *__restrict__ in, int *__restrict__ cell, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 20) {
            int h = i;
            for (int k = 0; k < 5; ++k) h = h * 48271 + k;
            atomicAdd(&cell[i], h);
        }
        if (in[i] & 1) out[i] = atomicExch(&cell[i], -1);
    }
}
