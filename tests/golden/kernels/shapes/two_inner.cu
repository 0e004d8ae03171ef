// Two marked inner loops, one behind the other, of which the second reads what the first wrote.
//
// RUN: ccc --block 96
// REFUSED: line 16: the marked path is inside the marked path of line 12, which may come to it several times before it is run
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC while
        for (int j = v & 3; j < v; j += 4) {
            out[i] = out[i] * 3 + j;
        }
#CCC while
        for (int j = v & 3; j < v; j += 4) {
            more[i] = more[i] * 3 + out[i];
        }
    }
}
