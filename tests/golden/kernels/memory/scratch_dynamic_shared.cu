// The thread's stack lies in dynamic shared memory behind a table of the block.
//
// RUN: ccc --block 96 --shared 4096
// REFUSED: line 15: the store to `dynamic shared memory` at line 15 of the marked path may meet the load of `dynamic shared memory` at line 15 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void walk(int n, const int *__restrict__ pick, const int *__restrict__ key, int *__restrict__ out) {
    extern __shared__ int dynamic[];
    int *table = dynamic, *mine = dynamic + 64 + 8 * threadIdx.x;
    for (int j = threadIdx.x; j < 64; j += blockDim.x) table[j] = key[j];
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            for (int j = 0; j < 8; ++j) mine[j] = p * j + table[(p + j * 7) & 63];
            int h = 0;
            for (int j = 0; j < 8; ++j) h = h * 33 + mine[(j * 5 + i) & 7];
            out[i] = h;
        }
    }
}
