// Output arrays are reached by pointers from a table in shared memory, chosen by the element.
//
// RUN: ccc --block 96
// LAUNCH: pointer_table 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0 i32[1000]=0
// LAUNCH: pointer_table 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void pointer_table(int n, const int *in, int *a, int *b, int *sums) {
    __shared__ int *table[4];
    if (threadIdx.x == 0) for (int k = 0; k < 4; ++k) table[k] = k & 1 ? b : a;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v > 20) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + v;
            table[v & 3][i] = h;
        }
        sums[i] = v;
    }
}
