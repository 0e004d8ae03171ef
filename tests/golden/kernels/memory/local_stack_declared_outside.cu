// The traversal stack is declared before the loop, but each item begins with an empty one, in the path.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, and pxrw collects no such path, even where no other code uses that memory
extern "C" __global__ void tree(int n, const int *__restrict__ pick, const int *__restrict__ key, int *__restrict__ out) {
    int stack[12];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int top = 0, found = 0;
            stack[top++] = 0;
            while (top > 0) {
                int node = stack[--top];
                if (key[node] > p * 3) ++found;
                if (2 * node + 2 < 250 && top < 10) { stack[top++] = 2 * node + 1; if ((key[node] ^ p) & 1) stack[top++] = 2 * node + 2; }
            }
            out[i] = found;
        }
    }
}
