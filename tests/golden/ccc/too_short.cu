// Of two paths that a quarter of the lanes take, the short one stays where it is: handing it over takes more than a quarter of it saves.
//
// RUN: ccc --block 64
// REPORT: region line 17 in loop line 15: left out: collecting it costs
// REPORT: region line 21 in loop line 15: context
// CHECK: #CCC if_begin 2 loop 1 line 17 probability 0.25
// CHECK-NOT: #CCC if_begin 3 loop 1
// PTXAS: sm_90
// LAUNCH: worth 2 64 i32:2000 i32[2000]=below:4:1 i32[4000]=0
// LAUNCH: worth 1 33 i32:2000 i32[2000]=below:4:2 i32[4000]=0
// EXPECT: same-memory

extern "C" __global__ void worth(int n, const int *kind, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if probability(0.25)
        if (kind[i] == 0) {
            out[n + i] = i;
        }
#CCC if probability(0.25)
        if (kind[i] == 3) {
            int value = i;
#pragma unroll
            for (int step = 0; step < 60; ++step) value = value * 3 + (value >> 5);
            out[i] = value;
        }
    }
}
