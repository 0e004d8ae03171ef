// A loop of the path that never ends and tells other threads so.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path has a loop that never ends
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            if (v == 99) while (true) { out[i] = v; }
            out[i] = v * 3;
        }
    }
}
