// The steps of a task write an array that the end of the same task reads.
//
// RUN: ccc --block 96
// LAUNCH: steps_write_and_read 2 96 i32:100 i32[100]=below:9:1 i32[1000]=0 i32[100]=0
// LAUNCH: steps_write_and_read 1 33 i32:77 i32[100]=below:9:2 i32[1000]=0 i32[100]=0
// EXPECT: same-memory

extern "C" __global__ void steps_write_and_read(int n, const int *__restrict__ in, int *trail, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *mine = trail + 10 * i;
        mine[0] = i;
        int k = 0;
//#CCC while
        while (k < in[i]) {
            mine[k + 1] = mine[k] * 3 + k;
            ++k;
        }
        out[i] = mine[k] + mine[k / 2];
    }
}
