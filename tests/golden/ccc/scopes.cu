// A path with scopes of its own: the compiler takes doubles apart in inlined assembler, which declares the same name in each scope. Each of
// these registers gets a name of its own, which is declared for the whole body.
//
// RUN: ccc --block 64
// REPORT: region line 22 in loop line 19: context
// CHECK: .reg .b32
// CHECK-SAME: %temp_1
// CHECK-SAME: %temp_2
// CHECK: ccc_region
// CHECK-NOT: .reg
// PTXAS: sm_90
// LAUNCH: scopes 2 64 i32:1000 f64[1000]=rand:1 i32[1000]=0
// LAUNCH: scopes 1 33 i32:1000 f64[1000]=rand:2 i32[1000]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void scopes(int n, const double *x, int *out)
{
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double value = x[i];
#CCC if
        if (value < 0.25) {
            for (int round = 0; round < 4; ++round) {
                value = value * value + 0.5;
            }
            out[i] = __double2hiint(value) ^ __double2loint(value) ^ __double2hiint(value * 3.0);
        }
    }
}
