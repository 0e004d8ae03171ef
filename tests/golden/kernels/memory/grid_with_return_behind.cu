// One item per thread: some threads return behind the marked branch, the others write more.
//
// RUN: ccc --block 64
// LAUNCH: items 9 64 i32:540 i32[540]=below:40:1 i32[540]=0 i32[540]=0
// EXPECT: same-memory
extern "C" __global__ void items(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ more) {
//#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = k[i];
//#CCC if
    if (v > 20) {
        int h = v;
        for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
        out[i] = h;
    }
    if (v & 1) return;
    more[i] = v + gridDim.x;
}
