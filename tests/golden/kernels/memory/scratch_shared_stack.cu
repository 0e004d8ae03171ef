// A traversal stack per thread in shared memory, used within the path only.
//
// RUN: ccc --block 96
// REFUSED: line 15: the store to `stack` at line 17 of the marked path may meet the load of `stack` at line 15 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void walk(int n, const int *__restrict__ pick, const int *__restrict__ key, int *__restrict__ out) {
    __shared__ int stack[12][96];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int top = 0, found = 0;
            stack[top++][threadIdx.x] = 0;
            while (top > 0) {
                int node = stack[--top][threadIdx.x];
                if (key[node] > p * 3) ++found;
                if (2 * node + 2 < 250 && top < 10) { stack[top++][threadIdx.x] = 2 * node + 1; if ((key[node] ^ p) & 1) stack[top++][threadIdx.x] = 2 * node + 2; }
            }
            out[i] = found;
        }
    }
}
