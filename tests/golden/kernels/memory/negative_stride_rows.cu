// Rows are addressed from the end of an array; the path writes row -i, what follows reads it forwards.
//
// RUN: ccc --block 96
// LAUNCH: mirror 2 96 i32:250 i32[250]=below:9:1 i32[1000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void mirror(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
    int *end = a + 4 * n;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 4) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            end[-4 * i - 1 - (k[i] & 3)] = h;
        }
        int s = 0;
        for (int j = 0; j < 4; ++j) s = s * 3 + a[4 * (n - 1 - i) + j];
        out[i] = s;
    }
}
