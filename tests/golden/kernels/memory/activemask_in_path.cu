// The path asks which lanes are active, which is not the lane's own business.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path has `activemask.b32`, which lanes must execute together
extern "C" __global__ void own(int n, const int *__restrict__ pick, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int h = p + __popc(__activemask());
            for (int j = 0; j < 9; ++j) h = h * 33 + 1;
            out[i] = h;
        }
    }
}
