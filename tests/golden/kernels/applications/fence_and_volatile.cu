// Flags that a branch sets for other kernels: a fence lies between the value and its flag.
//
// RUN: ccc --block 96
// LAUNCH: publish 2 96 i32:1000 u32[1000]=rand:23 u32[1000]=0 u8[1000]=0
// EXPECT: same-memory
extern "C" __global__ void publish(int n, const unsigned int *__restrict__ in, volatile unsigned int *value, volatile unsigned char *flag) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        //#CCC if
        if (x % 9 == 7) {
            for (int k = 0; k < 4; ++k) x = x * 17 + k;
            value[i] = x;
            __threadfence();
            flag[i] = 1;
        }
    }
}
