// Two inner ranges one after the other in one iteration, in blocks of their own.
//
// RUN: ccc --block 96
// LAUNCH: inner_for_twice 2 96 i32:60 i32[60]=below:12:1 i32[16]=0 i32[720]=0
// LAUNCH: inner_for_twice 1 33 i32:33 i32[60]=below:12:2 i32[16]=0 i32[720]=0
// EXPECT: same-memory

extern "C" __global__ void inner_for_twice(int rows, const int *__restrict__ length, int *__restrict__ sums, int *__restrict__ out) {
//#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        {
//#CCC for
            for (int k = 0; k < length[row]; ++k) {
                atomicAdd(&sums[(row + k) & 15], k);
            }
        }
        {
//#CCC for
            for (int k = 11; k >= length[row]; --k) {
                out[row * 12 + k] = row * k + 1;
            }
        }
    }
}
