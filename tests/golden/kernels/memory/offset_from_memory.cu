// A row is found through an offset loaded from memory, as in a paged heap; the path writes into it and what follows reads it by the item's own index.
//
// RUN: ccc --block 96
// LAUNCH: page 2 96 i32:250 i32[250]=iota i32[250]=below:4:1 i32[250]=5 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void page(int n, const int *__restrict__ offset, const int *__restrict__ k, int *__restrict__ heap, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int *row = heap + offset[i];
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            *row = h;
        }
        out[i] = heap[i];
    }
}
