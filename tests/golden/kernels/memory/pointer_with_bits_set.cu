// The path's address is the array's base with the item's offset set by a bitwise or, as allocators with aligned slabs do.
//
// RUN: ccc --block 96
// LAUNCH: launder 2 96 i32:250 i32[250]=below:4:1 i32[1000]=5 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void launder(int n, const int *__restrict__ k, int *a, int *__restrict__ out) {
    unsigned long long base = (unsigned long long)a & ~15ull;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long slab = base + 16ull * i;
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            *(int *)(slab | 4) = h;
        }
        out[i] = a[4 * i + 1];
    }
}
