// The inner range counts down by three over unsigned numbers of 64 bits.
//
// RUN: ccc --block 96
// LAUNCH: inner_for_down_in_steps 2 96 i32:60 i32[60]=below:40:1 i32[2500]=0
// LAUNCH: inner_for_down_in_steps 1 33 i32:33 i32[60]=below:40:2 i32[2500]=0
// EXPECT: same-memory

extern "C" __global__ void inner_for_down_in_steps(int rows, const int *__restrict__ length, int *__restrict__ out) {
//#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        int most = length[row];
//#CCC for
        for (long long e = most; e > 2; e -= 3) {
            int h = row;
            for (int k = 0; k < (e & 3); ++k) h = h * 31 + (int)e;
            out[row * 40 + e] = h;
        }
    }
}
