// A pointer walks round a small ring beside the loop's index.
//
// RUN: ccc --block 96
// LAUNCH: ring_pointer 2 96 i32:1000 i32[1000]=below:8:1 i32[7]=iota i32[1000]=0
// LAUNCH: ring_pointer 1 33 i32:77 i32[1000]=below:8:2 i32[7]=iota i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void ring_pointer(int n, const int *__restrict__ in, const int *__restrict__ ring, int *__restrict__ out) {
    const int *p = ring + threadIdx.x % 7;
    unsigned char wrapping = threadIdx.x * 50;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if probability(0.1)
        if (in[i] == 2) {
            out[i] = *p * 1000 + wrapping;
        }
        if (++p == ring + 7) p = ring;
        wrapping += 77;
    }
}
