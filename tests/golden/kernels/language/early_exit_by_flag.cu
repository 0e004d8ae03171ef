// A loop with a `break` on a flag that the rare branch of the same thread sets, so that the branch cannot wait.
//
// RUN: ccc --block 96
// LAUNCH: early_exit_by_flag 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: early_exit_by_flag 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void early_exit_by_flag(int n, const int *__restrict__ in, int *__restrict__ out) {
    bool found = false;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 36) {
            out[i] = i;
            found = true;
        }
        if (found) break;
    }
}
