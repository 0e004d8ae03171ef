// The marked loop is skipped by warps none of whose lanes wants it, by a vote.
//
// RUN: ccc --block 96
// LAUNCH: voted 2 96 i32:300 i32[300]=below:5:1 i32[300]=0
// EXPECT: same-memory
extern "C" __global__ void voted(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lanes = __ballot_sync(__activemask(), t < n && k[t < n ? t : 0] == 0);
    if (lanes != 0) {
//#CCC for
        for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
            if (k[i] > 1) {
                int x = k[i];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[i] = x;
            }
        }
    }
}
