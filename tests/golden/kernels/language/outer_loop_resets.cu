// An outer loop of tiles around the marked one; shared memory is filled anew for each tile.
//
// RUN: ccc --block 96
// LAUNCH: outer_loop_resets 1 96 i32:1000 i32[1024]=below:40:1 i32[1024]=0
// LAUNCH: outer_loop_resets 1 33 i32:77 i32[1024]=below:40:2 i32[1024]=0
// EXPECT: same-memory

extern "C" __global__ void outer_loop_resets(int n, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int tile[128];
    for (int base = 0; base < n; base += 128) {
        __syncthreads();
        for (int k = threadIdx.x; k < 128; k += blockDim.x) tile[k] = base + k < n ? in[base + k] : 0;
        __syncthreads();
//#CCC for
        for (int k = threadIdx.x; k < 128; k += blockDim.x) {
//#CCC if
            if (tile[k] > 30) {
                int h = 0;
                for (int j = 0; j < 7; ++j) h = h * 3 + tile[(k + j) & 127];
                out[base + k] = h;
            }
        }
    }
}
