// A continue in the path passes by what follows it.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path can be entered at a second place
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ counts) {
    int c = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
            if (v == 3) continue;
        }
        c += v + i;
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = c;
}
