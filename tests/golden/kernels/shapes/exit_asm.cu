// Some lanes end by exit before the loop, and others by exit in the rest of an iteration.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    if (threadIdx.x % 5 == 3) asm volatile("exit;");
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
        if (v == 8) asm volatile("exit;");
    }
}
