// The compiler unrolls a loop of the path, and finds that one copy of the loop in it never ends. With these numbers no lane gets into that one.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32:16 i32:3 i32[450]=below:40:1 i32[450]=0
// LAUNCH: k 1 33 i32:450 i32:32 i32:19 i32[450]=below:900:2 i32[450]=0
// EXPECT: same-memory
// CHECK: $$ccc_never
extern "C" __global__ void k(int n, int step, int first, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (kind[i] & 1) {
            int x = i * step + first;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                int c = 0;
                while (((x >> j) & 1) == (j != 3)) {
                    if (j == 2) continue;
                    if (++c > 3) break;
                    x = x * 5 + 1;
                }
            }
            out[i] = x;
        }
    }
}
