// The path waits for a flag before it loads with the thread's own index; the load must not come before the flag.
//
// RUN: ccc --block 64 --hoist-loads
// LAUNCH: k 2 64 i32:200 i32[200]=below:4:1 i32[200]=iota i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* a, int* flag, int* out) {
    if (blockIdx.x == 1) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            a[i] = i * 7;
            __threadfence();
            atomicExch(&flag[i], 1);
        }
    } else {
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if independent
            if (v == 1) {
                while (atomicAdd(&flag[i], 0) == 0) {}
                __threadfence();
                out[i] = a[i] + 1;
            }
        }
    }
}
