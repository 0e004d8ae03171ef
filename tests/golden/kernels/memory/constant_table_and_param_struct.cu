// The path reads a table in constant memory and an array in a structure that is passed by value.
//
// RUN: ccc --block 96
// LAUNCH: tables 2 96 i32:900 i32[900]=below:9:1 i32[900]=0
// EXPECT: same-memory
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
extern "C" __global__ void tables(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * primes[(h + j) & 7] + primes[v & 7];
            out[i] = h;
        }
    }
}
