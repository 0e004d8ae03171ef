// A running maximum that the loop itself looks at.
//
// RUN: ccc --block 96
// REFUSED: line 11: is no reduction
extern "C" __global__ void running(int n, const int *__restrict__ in, int *__restrict__ out) {
    int most = -1;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    //#CCC for reduce(max:most)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i] & 0xffff;
        if (v < most) continue;
        //#CCC if
        if (v & 1) most = max(most, v * 3 & 0xffff);
    }
    out[t] = most;
}
