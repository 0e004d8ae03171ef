// A pointer to shared or global memory: the compiler converts the address of shared memory in a scope with a register of its own, between the guard of the
// loop and the loop. That is moved in front of the guard, out of its scope.
//
// RUN: ccc --block 64 --arch sm_75
// REPORT: region line 19 in loop line 16: context
// CHECK: cvta.shared.u64
// PTXAS: sm_75
// LAUNCH: either 1 64 i32:2000 i32[2000]=rand:1 i32[2000]=0
// LAUNCH: either 1 33 i32:4 i32[4]=rand:2 i32[64]=0
// EXPECT: same-memory

extern "C" __global__ void either(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    __shared__ unsigned s[2048];
    unsigned *p = n > 5 ? s : out;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned value = in[i];
#CCC if
        if (value % 3 == 0) {
            p[i] = value * value;
        }
        s[i] = 9;
    }
    out[threadIdx.x] = s[threadIdx.x];
}
