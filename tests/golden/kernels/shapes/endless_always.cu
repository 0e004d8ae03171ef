// The compiler finds that the inner loop of the path never ends: it counts past its end, and around.
//
// RUN: ccc --block 96
// REFUSED: line 9: the marked path has a loop that never ends
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (kind[i] > 7) {
            int x = kind[i];
            for (unsigned j = 0; j != 5; j += 2) {
                x = x * 3 + 1;
                if (j == 6) x = atomicAdd(out + n, x);
            }
            out[i] = x;
        }
    }
}
