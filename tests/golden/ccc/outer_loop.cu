// The marked loop runs again and again inside another one that is not marked. All lanes run the outer one together, so that whole
// warps reach the inner one each time; nothing is left on the stack between two times.
//
// RUN: ccc --block 64
// REPORT: region line 18 in loop line 16: context
// PTXAS: sm_90
// LAUNCH: rounds 2 64 i32:5 i32:300 i32[1500]=rand:1 i32[1500]=0
// LAUNCH: rounds 1 33 i32:3 i32:100 i32[1500]=rand:2 i32[1500]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: rounds 1 33 i32:3 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes

extern "C" __global__ void rounds(int rounds, int n, const int *key, int *out) {
    for (int round = 0; round < rounds; ++round) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if ((key[round * n + i] & 7) == 0) {
                int x = round;
                for (int k = 0; k < 20; ++k) x = x * 3 + k + i;
                out[round * n + i] += x;
            }
        }
    }
}
