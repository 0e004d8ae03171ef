// A value goes from one run of the rare branch to the next one of the same thread.
//
// RUN: ccc --block 96
// LAUNCH: path_to_path_value 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: path_to_path_value 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void path_to_path_value(int n, const int *__restrict__ in, int *__restrict__ out) {
    int last = -1;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 30) {
            out[i] = last;
            last = i;
        }
    }
}
