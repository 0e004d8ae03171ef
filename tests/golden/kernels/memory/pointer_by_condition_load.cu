// What follows loads through a pointer chosen by a condition between the array that the path writes and another one.
//
// RUN: ccc --block 96
// LAUNCH: choose 2 96 i32:250 i32[250]=below:4:1 i32[250]=5 i32[250]=6 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void choose(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ b, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
//#CCC if
        if (kind > 0) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i] = h;
        }
        const int *p = kind & 1 ? a : b;
        out[i] = p[i] * 3;
    }
}
