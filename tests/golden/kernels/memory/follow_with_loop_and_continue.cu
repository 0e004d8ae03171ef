// What follows has a loop over the item's row and an early `continue`, and reads the path's result within.
//
// RUN: ccc --block 96
// LAUNCH: rows 2 96 i32:250 i32[250]=below:4:1 i32[2000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void rows(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
//#CCC if
        if (kind == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[8 * i + (h & 7)] = h;
        }
        if (kind == 1) continue;
        int sum = 0;
        for (int j = 0; j < 8; ++j) { if (a[8 * i + j] < 0) break; sum += a[8 * i + j]; }
        out[i] = sum;
    }
}
