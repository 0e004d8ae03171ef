// The condition is always true, and no value but the counter is needed.
//
// RUN: ccc --block 96
// LAUNCH: always 2 96 i32:250 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void always(int n, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (i >= 0 || n < 0) { int h = i; while (h > 3) h = h / 2 - (h & 1); out[i] = h; }
    }
}
