// The bound of the inner loop is read anew in each step, and the loop's body lowers it.
//
// RUN: ccc --block 96
// LAUNCH: lower 2 96 i32:250 i32[250]=below:60:1 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void lower(int n, int *bound, unsigned *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC for
        for (int e = 0; e < bound[i]; ++e) {
            unsigned h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
            if (h & 1) bound[i] -= 1;
        }
    }
}
