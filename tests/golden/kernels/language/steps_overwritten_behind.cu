// A task's steps read an element that code behind the task's block overwrites.
//
// RUN: ccc --block 96
// LAUNCH: steps_overwritten_behind 2 96 i32:500 i32[500]=below:20:1 i32[500]=0
// LAUNCH: steps_overwritten_behind 1 33 i32:77 i32[500]=below:20:2 i32[500]=0
// EXPECT: same-memory

extern "C" __global__ void steps_overwritten_behind(int n, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        {
            int h = 1, k = 0;
//#CCC while
            while (k < a[i]) {
                h = h * 3 + k++;
            }
            out[i] = h;
        }
        a[i] = -1;
    }
}
