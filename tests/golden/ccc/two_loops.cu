// Two marked loops, one behind the other: both are rewritten, each with a stack.
//
// RUN: ccc --block 128
// REPORT: kernel twice
// REPORT: region line 18 in loop line 16: context
// REPORT: region line 27 in loop line 25: context
// PTXAS: sm_90
// LAUNCH: twice 1 128 i32:1500 i32[1500]=rand:1 i32[1500]=0 i32[1500]=0
// LAUNCH: twice 1 33 i32:200 i32[1500]=rand:2 i32[1500]=0 i32[1500]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: twice 1 33 i32:0 i32[1]=0 i32[1]=0 i32[1]=0
// EXPECT: no-writes

extern "C" __global__ void twice(int n, const int *key, int *first, int *second) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            first[i] = x;
        }
    }
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 1) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 5 + k;
            second[i] = x;
        }
    }
}
