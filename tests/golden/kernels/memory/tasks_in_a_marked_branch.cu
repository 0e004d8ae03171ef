// A task with a loop in a marked branch, with another marked branch behind it.
//
// RUN: ccc --block 96
// LAUNCH: nested 2 96 i32:250 i32[250]=below:90:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void nested(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ other) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 30) {
            int x = v;
            for (int j = 0; j < 4; ++j) x = (x * 33 + (x >> 5)) & 0xffff;
            int steps = 0;
//#CCC while
            while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; if (++steps > 200) break; }
            out[i] = steps;
        }
//#CCC if
        if (v < 20) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 4);
            other[i] = x;
        }
    }
}
