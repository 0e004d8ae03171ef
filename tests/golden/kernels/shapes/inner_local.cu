// A marked while with a local array of its iteration as a stack, as tree searches have it.
//
// RUN: ccc --block 96
// REFUSED: line 12: the marked path uses local memory, which another lane cannot reach
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int stack[16]; int top = 0, sum = 0;
        stack[top++] = kind[i];
#CCC while
        while (top > 0) {
            int x = stack[--top];
            sum = sum * 3 + x;
            if (x > 1 && top < 14) { stack[top++] = x / 2; stack[top++] = x / 3; }
        }
        out[i] = sum;
    }
}
