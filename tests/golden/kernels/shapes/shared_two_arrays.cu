// The path writes behind the end of one shared array what is the beginning of the next one, by a negative offset from it.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
struct S { int x[256]; int y[256]; };
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ S s;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { s.x[i] = i; s.y[i] = -i; }
    __syncthreads();
    int* y = s.y;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            y[i - 256] = i * 7;
        }
        out[i] = s.x[i] * 3;
    }
}
