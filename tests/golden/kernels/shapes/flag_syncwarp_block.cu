// The path writes data with a block fence at its end; the rest sets a volatile flag in shared memory, for which another warp waits.
//
// RUN: ccc --block 64
// LAUNCH: k 1 64 i32:128 i32[128]=below:4:1 i32[128]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int data[128];
    __shared__ volatile int flag[128];
    for (int i = threadIdx.x; i < 128; i += blockDim.x) { data[i] = -i; flag[i] = 0; }
    __syncthreads();
    if (threadIdx.x < 32) {
#CCC for
        for (int i = threadIdx.x; i < n; i += 32) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                data[i] = v * 77 + i;
                __threadfence_block();
            }
            flag[i] = 1;
        }
    } else {
        for (int i = threadIdx.x - 32; i < n; i += 32) {
            while (flag[i] == 0) {}
            __threadfence_block();
            out[i] = data[i];
        }
    }
}
