// The same with one vector store per item, into dynamic shared memory.
//
// RUN: ccc --block 96 --shared 1536
// REFUSED: line 10: the load of `dynamic shared memory` at line 14 of the marked path may meet the store to `dynamic shared memory` at line 10 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void record(int n, const int *__restrict__ k, const int4 *__restrict__ data, int *__restrict__ out) {
    extern __shared__ int4 rows[];
    int *mine = (int *)(rows + threadIdx.x);
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        rows[threadIdx.x] = data[i];
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + mine[(h >> 3) & 3];
            out[i] = h;
        }
    }
}
