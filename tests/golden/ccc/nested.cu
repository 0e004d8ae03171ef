// What is in the path may branch and loop as it likes: plain ifs, loops in loops, a `break` that stays inside.
//
// RUN: ccc --block 128
// REPORT: region line 16 in loop line 14: context
// PTXAS: sm_90
// LAUNCH: nested 2 128 i32:1500 i32[1500]=rand:1 i32[1500]=below:20:2 i32[1500]=0
// LAUNCH: nested 1 33 i32:500 i32[1500]=rand:3 i32[1500]=below:20:4 i32[1500]=0
// EXPECT: same-memory
// LAUNCH: nested 1 32 i32:1500 i32[1500]=rand:5 i32[1500]=below:20:6 i32[1500]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void nested(int n, const int *key, const int *length, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int sum = 0;
            for (int a = 0; a < length[i]; ++a) {
                if (key[a] & 16) {
                    for (int b = a; b < length[i]; ++b) {
                        if (((key[b] ^ sum) & 255) == 255) break;
                        sum += key[b];
                    }
                } else if (key[a] & 32) {
                    sum ^= a;
                }
            }
            out[i] = sum;
        }
    }
}
