// Iterated smoothing: the source of a pass is the input or the work array, both restrict; the path writes the work array, what follows reads the source.
//
// RUN: ccc --block 96
// LAUNCH: smooth 2 96 i32:250 i32:0 i32[250]=below:40:1 i32[250]=7 i32[250]=0
// LAUNCH: smooth 2 96 i32:250 i32:1 i32[250]=below:40:1 i32[250]=7 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void smooth(int n, int pass, const int *__restrict__ input, int *__restrict__ work, int *__restrict__ out) {
    const int *source = pass == 0 ? input : work;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (input[i] > 20) {
            int h = input[i];
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            work[i] = h;
        }
        out[i] = source[i] * 3;
    }
}
