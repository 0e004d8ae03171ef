// A chain of rare kinds, each with a marked branch, and an unmarked rest.
//
// RUN: ccc --block 96
// LAUNCH: else_if_chain 2 96 i32:1000 i32[1000]=below:9:1 i32[1000]=0 i32[8]=0
// LAUNCH: else_if_chain 1 33 i32:77 i32[1000]=below:9:2 i32[1000]=0 i32[8]=0
// EXPECT: same-memory

__device__ int spin(int seed, int rounds) {
    int h = seed;
    for (int k = 0; k < rounds; ++k) h = h * 69069 + k;
    return h;
}

extern "C" __global__ void else_if_chain(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ kinds) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v == 0) {
            out[i] = spin(i, 5);
//#CCC if
        } else if (v == 1) {
            out[i] = spin(-i, 7);
            atomicAdd(&kinds[1], 1);
        }
        else if (v < 4) {
            out[i] = v;
        }
//#CCC if
        else if (v == 6) {
            atomicMax(&kinds[2], spin(i, 9));
        }
        else {
            atomicAdd(&kinds[0], 1);
        }
    }
}
