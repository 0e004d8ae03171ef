// The rare branch writes a volatile word of the iteration, which reads it back several times.
//
// RUN: ccc --block 96
// LAUNCH: volatile_flag 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0
// LAUNCH: volatile_flag 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void volatile_flag(int n, const int *__restrict__ in, volatile int *flag, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 20) {
            flag[i] = in[i];
            int s = 0;
            for (int k = 0; k < 5; ++k) s = s * 3 + flag[i];
            flag[i] = s;
        }
        int x = flag[i];
        if (x) x += flag[i];
        out[i] = x;
    }
}
