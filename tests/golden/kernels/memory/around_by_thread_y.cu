// A loop around the marked one that threads with another y run more often: two y share a warp in blocks of 16 by 6.
//
// RUN: ccc --block 96
// REFUSED: line 6: the marked loop is under divergent control flow: a branch before it differs between lanes (reads %tid.y)
extern "C" __global__ void around(int n, const int *__restrict__ k, int *__restrict__ out) {
    for (int y = threadIdx.y; y < 7; y += 6) {
//#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
            if ((k[i] + y) % 5 == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                atomicAdd(&out[i], h);
            }
        }
    }
}
