// A sum in an inner loop of the path, with a condition before. The compiler leaves a loop that never ends there, which no lane reaches.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[192]=0
// LAUNCH: k 1 33 i32:450 i32[450]=below:90:2 i32[33]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3; int x = 4;
#CCC for reduce(+:s, ^:x)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int w = v * 31 + i;
            x ^= w;
            if (w & 2) s -= 7;
            for (int j = 0; j < (w & 3); ++j) { s += j; }
        }
    }
    out[(blockIdx.x * blockDim.x + threadIdx.x)] = s + x;
}
