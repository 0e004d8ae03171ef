// The path always ends the iteration; what follows is for the others.
//
// RUN: ccc --block 96
// LAUNCH: skip 2 96 i32:250 i32[250]=below:64:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void skip(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
            continue;
        }
        out[i] = v + 1;
    }
}
