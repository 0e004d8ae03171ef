// What follows reads other items of the input by __ldg, and the path writes the output only.
//
// RUN: ccc --block 96
// LAUNCH: ldg 2 96 i32:900 i32[900]=below:9:1 i32[900]=iota i32[900]=0 i32[900]=0
// EXPECT: same-memory
extern "C" __global__ void ldg(int n, const int *k, const int *data, int *out, int *sum) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = __ldg(k + i);
//#CCC if
        if (v > 5) {
            int h = __ldg(data + i);
            for (int j = 0; j < 9; ++j) h = h * 33 + __ldg(data + (h & 127));
            out[i] = h;
        }
        sum[i] = __ldg(data + (n - 1 - i)) + v;
    }
}
