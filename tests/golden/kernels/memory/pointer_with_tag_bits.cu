// Tagged pointers: the path strips the tag of a pointer by a mask and stores, what follows reads the array.
//
// RUN: ccc --block 96
// LAUNCH: tagged 2 96 i32:250 i32[250]=below:4:1 i32[1000]=5 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void tagged(int n, const int *__restrict__ k, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
        unsigned long long p = (unsigned long long)(a + i) + (kind & 3);
//#CCC if
        if (kind == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            *(int *)(p & ~3ull) = h;
        }
        out[i] = a[i];
    }
}
