// A descending loop whose unsigned counter wraps around at the end.
//
// RUN: ccc --block 96
// LAUNCH: down 2 96 u32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void down(unsigned n, const int *__restrict__ k, int *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
//#CCC for
    for (unsigned i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x); i < n; i -= stride) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
