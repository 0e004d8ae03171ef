// A row that is a thread's alone, the same one in all of its iterations. An inner loop decides which word of it is read, and data does not: what a later iteration stores there is what the path would find.
//
// RUN: ccc --block 64
// REFUSED: line 11: the load of `rows` at line 17 of the marked path may meet the store to `rows` at line 11 of a later iteration
// PTXAS: sm_90

extern "C" __global__ void counted_words(int n, const int *__restrict__ a, int *__restrict__ out, int *__restrict__ rows) {
    volatile int *row = rows + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        row[1] = a[i + 1];
        row[0] = a[i];
#CCC if
        if (a[i] & 1) {
            int sum = 0;
#pragma unroll 1
            for (int word = 0; word < 2; ++word) sum += row[word];
            out[i] = sum;
        }
    }
}
