// The path reads its input in a loop, what follows clears the input: an anti-dependence only.
//
// RUN: ccc --block 96
// LAUNCH: clear 2 96 i32:250 i32[1000]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void clear(int n, int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[4 * i] == 1) {
            int h = 0;
            for (int k = 0; k < 4; ++k) h = h * 33 + in[4 * i + k];
            out[i] = h;
        }
        in[4 * i + 3] = -5;
    }
}
