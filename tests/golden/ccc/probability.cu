// Of two paths, the shorter is collected: the longer one is taken by so few lanes, as its directive says, that most warps never run it.
//
// RUN: ccc --block 64 --most 1 --all
// REPORT: region line 17 in loop line 14: left out: 1 costlier paths of the loop are collected
// REPORT: region line 23 in loop line 14: context
// CHECK: #CCC if_begin 2 loop 1 line 17 probability 0.001
// PTXAS: sm_90
// LAUNCH: probable 2 64 i32:2000 i32[2000]=below:1024:1 i32[2000]=0
// LAUNCH: probable 1 33 i32:2000 i32[2000]=below:4:2 i32[2000]=0
// EXPECT: same-memory

extern "C" __global__ void probable(int n, const int *kind, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int chosen = kind[i];
#CCC if probability(0.001)
        if (chosen == 0) {
            int sum = 0;
            for (int k = 0; k < 15; ++k) sum += k * sum + i;
            out[i] = sum;
        }
#CCC if probability(.25)
        if (chosen % 4 == 3) {
            out[i] = 1000000 / (i + 1) % 77;
        }
    }
}
