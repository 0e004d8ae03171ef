// What follows two marked paths depends on both. The second one are steps that every lane makes, so that what follows runs with them; the first one may not be put off
// behind it all the same.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:90:1 i32[1000]=0
// EXPECT: same-memory
// REFUSED: line 25: the store to `rows` at line 16 of the marked path and the load of `rows` at line 25 may meet
extern "C" __global__ void k(int n, const int *__restrict__ keys, int *__restrict__ rows) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = keys[i];
//#CCC if
        if (v > 30) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 4);
            rows[4 * i + 1] = x;
        }
        int x = v + 2;
//#CCC while
        do {
            x = x & 1 ? 3 * x + 1 : x / 2;
        } while (x > 1 && x < 5000);
        rows[4 * i + 3] = x;
#pragma unroll 1
        for (int j = 0; j < 4; ++j) rows[4 * i + j] += j * v + 1;
    }
}
