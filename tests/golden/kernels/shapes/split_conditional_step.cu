// Inner marked for over memory that the next outer statement reads; a marked if lies in the inner for.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (reads %tid.x)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC for
        for (int j = 0; j < v; ++j) {
#CCC if
            if ((j * v) % 7 == 3) {
                atomicAdd(&out[i], j * 3);
                atomicXor(&more[j], v);
            }
        }
    }
}
