// The block's size and the independence of the branch are said by the directives themselves.
//
// RUN: ccc
// LAUNCH: block_clause_and_independent 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0
// LAUNCH: block_clause_and_independent 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void block_clause_and_independent(int n, const int *in, int *a, int *b) {
//#CCC for const block(96)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if independent probability(0.25)
        if (v > 30) {
            int h = i;
            for (int k = 0; k < v + 100; ++k) h = h * 48271 + k;
            a[i] = h;
        }
        b[i] = v + 1;
    }
}
