// Sparse rows: the inner range differs from row to row, each entry goes to a column by an atomic.
//
// RUN: ccc --block 96
// LAUNCH: inner_for_csr 2 96 i32:60 i32[60]=below:12:1 i32[1000]=below:50:3 i32[50]=0
// LAUNCH: inner_for_csr 1 33 i32:33 i32[60]=below:12:2 i32[1000]=below:50:4 i32[50]=0
// EXPECT: same-memory

extern "C" __global__ void inner_for_csr(int rows, const int *__restrict__ length, const int *__restrict__ column, int *__restrict__ sums) {
//#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        int weight = row % 7 + 1;
//#CCC for
        for (int e = row * 12; e < row * 12 + length[row]; ++e) {
            atomicAdd(&sums[column[e]], weight * (e & 3));
        }
    }
}
