// Every thread walks its own row; rows have different lengths, and some are empty.
//
// RUN: ccc --block 96
// LAUNCH: rows_of_own_length 2 96 i32:100 i32[200]=below:9:1 i32[1000]=below:40:3 i32[1000]=0
// LAUNCH: rows_of_own_length 1 33 i32:77 i32[200]=below:9:2 i32[1000]=below:40:4 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void rows_of_own_length(int rows, const int *__restrict__ length, const int *__restrict__ in, int *__restrict__ out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
//#CCC for
    for (int k = 0; k < length[row]; ++k) {
//#CCC if
        if (in[row * 9 + k] % 3 == 0) {
            int h = k;
            for (int j = 0; j < in[row * 9 + k]; ++j) h = h * 5 + row;
            out[row * 9 + k] = h;
        }
    }
}
