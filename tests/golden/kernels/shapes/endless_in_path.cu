// Inner loops of a path that do not end for some values: one that the source has, and one whose last copy cannot end, because the compiler has unrolled it.
// No value of the input leads there.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[451]=0
// LAUNCH: k 1 33 i32:450 i32[450]=below:20:2 i32[451]=0
// EXPECT: same-memory
// CHECK: $$ccc_never
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            if (v == 99) while (true) { }
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            if (v == 98) for (;;) asm volatile("");
            out[i] = s;
        }
    }
}
