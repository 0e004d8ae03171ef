// The rare branch looks values up in constant memory and in a constexpr array.
//
// RUN: ccc --block 96
// LAUNCH: constant_table 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: constant_table 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

__constant__ int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ constexpr int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

extern "C" __global__ void constant_table(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (primes[in[i] & 7] > 12) {
            int h = 0;
            for (int k = 0; k < in[i]; ++k) h = h * primes[(h ^ k) & 7] + weights[(i + k) & 7];
            out[i] = h;
        }
    }
}
