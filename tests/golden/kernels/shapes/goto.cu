// The path is entered by a goto as well, and left by one into the middle of the rest.
//
// RUN: ccc --block 96
// REFUSED: line 10: the marked path can be entered at a second place
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
            if (v == 5) goto middle;
        }
        more[i] = v;
        middle:
        more[i] += 2;
    }
}
