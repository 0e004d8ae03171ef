// Accumulators that paths fold into with `.ftz`, which takes subnormal numbers for 0: so do the deposits and what takes the thread's part behind the loop.
// A thread whose paths fold nothing keeps the subnormal number that it began with.
//
// RUN: ccc --block 64
// REPORT: kernel flushed
// REPORT-DAG: f32 by max
// REPORT-DAG: f32 by min
// REPORT-DAG: f32 by +, in another order
// CHECK: mov.f32 $(=%ccc_part[_0-9]*), 0f80000001;
// CHECK: $$ccc_deposit:
// CHECK: max.ftz.f32 %ccc_fresh,
// CHECK: min.ftz.f32 %ccc_fresh_1,
// CHECK: add.rn.ftz.f32 %ccc_fresh_2,
// CHECK: $$ccc_done:
// CHECK: max.ftz.f32 %ccc_fresh,
// CHECK: min.ftz.f32 %ccc_fresh_1,
// CHECK: add.rn.ftz.f32 %ccc_fresh_2,
// PTXAS: sm_90
// LAUNCH: flushed 1 64 i32:2000 i32[2000]=below:9:1 f32[192]=1e-40
// LAUNCH: flushed 1 33 i32:60 i32[60]=below:9:2 f32[99]=1e-40
// LAUNCH: flushed 1 32 i32:20 i32[20]=below:5:3 f32[96]=1e-40
// EXPECT: same-memory

extern "C" __global__ void flushed(int n, const int *__restrict__ key, float *__restrict__ out) {
    float *own = out + threadIdx.x;
    float most = own[0], least = own[blockDim.x], sum = own[2 * blockDim.x];
#CCC for reduce(max:most, min:least, +:sum)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i] % 3 == 0) {
            float value = key[i] > 4 ? 0.0f : -0.0f;
            asm("max.ftz.f32 %0, %0, %1;" : "+f"(most) : "f"(value));
            asm("min.ftz.f32 %0, %0, %1;" : "+f"(least) : "f"(value));
            asm("add.ftz.f32 %0, %0, %1;" : "+f"(sum) : "f"(value));
        }
    }
    own[0] = most;
    own[blockDim.x] = least;
    own[2 * blockDim.x] = sum;
}
