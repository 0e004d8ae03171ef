// The inner range is run in order and reads what its earlier iterations wrote, marked with `while` as it should be.
//
// RUN: ccc --block 96
// LAUNCH: inner_for_order_matters 2 96 i32:60 i32[60]=below:12:1 i32[720]=0
// LAUNCH: inner_for_order_matters 1 33 i32:33 i32[60]=below:12:2 i32[720]=0
// EXPECT: same-memory

extern "C" __global__ void inner_for_order_matters(int rows, const int *__restrict__ length, int *out) {
//#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        int *line = out + row * 12;
        line[0] = row;
//#CCC while
        for (int k = 1; k < length[row]; ++k) {
            line[k] = line[k - 1] * 3 + line[k / 2];
        }
    }
}
