// The path's array is addressed by integers; what follows reads it as an array.
//
// RUN: ccc --block 96
// LAUNCH: launder 2 96 i32:250 i32[250]=below:4:1 i32[250]=5 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void launder(int n, const int *__restrict__ k, int *a, int *__restrict__ out) {
    unsigned long long base = (unsigned long long)a;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            *(int *)(base + ((unsigned long long)i << 2)) = h;
        }
        out[i] = a[i];
    }
}
