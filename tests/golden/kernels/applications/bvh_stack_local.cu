// Rays through a tree of boxes with a stack in a local array, one ray per task.
//
// RUN: ccc --block 96
// REFUSED: line 13: local memory
extern "C" __global__ void trace(int n, const float *__restrict__ box, const float *__restrict__ ray, int *__restrict__ hits) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float r = ray[i];
        int stack[12], top = 0, count = 0;
        stack[top++] = 0;
        //#CCC while
        while (top > 0) {
            int node = stack[--top];
            if (fabsf(box[node] - r) > 0.5f) continue;
            ++count;
            if (node < 127) { stack[top++] = 2 * node + 1; stack[top++] = 2 * node + 2; }
        }
        hits[i] = count;
    }
}
