// The path writes an array that is a global variable; what follows reads through a pointer that is chosen between it and a parameter.
//
// RUN: ccc --block 96
// LAUNCH: globals 2 96 i32:250 i32[250]=below:9:1 i32[250]=7 i32[250]=0
// EXPECT: same-memory
__device__ int table[1000];
extern "C" __global__ void globals(int n, const int *__restrict__ k, const int *__restrict__ a, int *__restrict__ out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) table[i] = i;
    const int *p = k[0] > 100 ? a : table;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            table[i] = h;
        }
        out[i] = p[i] + 1;
    }
}
