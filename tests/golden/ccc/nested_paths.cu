// A marked path in a marked path: each has a stack, and the inner one is collected from what the outer one works on. In the
// drain the outer one runs first, because it may bring more for the inner one.
//
// RUN: ccc --block 64 --arch sm_75
// REPORT: region line 32 in loop line 30: context
// REPORT: region line 35 in loop line 30: context
// REPORT: region line 48 in loop line 45: context
// REPORT: region line 51 in loop line 45: context
// REPORT: region line 54 in loop line 45: context
// CHECK: $$ccc_region:
// CHECK: mov.pred %ccc_want_1, -1;
// CHECK: $$ccc_tail_1:
// CHECK: setp.ne.or.u32 %ccc_more_1, %ccc_top, 0, %ccc_more;
// CHECK: $$ccc_step:
// PTXAS: sm_75 sm_90
// LAUNCH: search 2 64 i32:700 i32[700]=below:4:1 i32[700]=below:30:2 i32[700]=rand:3 i32[700]=0
// LAUNCH: search 1 33 i32:500 i32[500]=below:9:1 i32[500]=below:3:2 i32[500]=rand:3 i32[500]=0
// LAUNCH: search 1 1 i32:50 i32[50]=below:2:1 i32[50]=below:9:2 i32[50]=rand:3 i32[50]=0
// LAUNCH: deep 2 64 i32:900 i32[900]=rand:1 i32[900]=0
// LAUNCH: deep 3 31 i32:900 i32[900]=rand:2 i32[900]=0
// EXPECT: same-memory
// LAUNCH: search 1 64 i32:4000 i32[4000]=below:4:1 i32[4000]=below:30:2 i32[4000]=rand:3 i32[4000]=0
// LAUNCH: deep 1 64 i32:6000 i32[6000]=rand:1 i32[6000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: search 1 64 i32:400 i32[400]=1 i32[400]=30 i32[400]=7 i32[400]=0
// EXPECT: no-writes

extern "C" __global__ void search(int n, const int *level, const int *degree, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (level[i] == 0) {
            int from = key[i] & 15;
#CCC for
            for (int e = 0; e < degree[i]; ++e) {
                atomicAdd(&out[(i + e * from) % n], e + 1);
            }
        }
    }
}

// Three levels; behind the inner path there is more of the outer one, which does not need what the inner one has computed.
extern "C" __global__ void deep(int n, const unsigned *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = key[i] + 1;
#CCC if
        if ((k & 3) == 0) {
            unsigned mixed = k * 2654435761u;
#CCC if
            if ((mixed >> 8 & 3) == 0) {
                unsigned x = mixed ^ i;
#CCC while
                while ((x & 31) != 0) { x = x * 1664525u + 1013904223u; atomicAdd(&out[i], 3); }
                atomicAdd(&out[i], (int)(x >> 5));
            }
            atomicAdd(&out[i], (int)mixed);
        }
    }
}
