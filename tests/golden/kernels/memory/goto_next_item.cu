// The path jumps to the end of the iteration with goto, past what follows.
//
// RUN: ccc --block 96
// REFUSED: line 10: the marked path can be entered at a second place
extern "C" __global__ void skip(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ seen) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) { h = h * 33 + (h >> 5); if (h % 7 == 3) goto next; }
            out[i] = h;
        }
        seen[i] = v + 1;
next:   if (v & 1) seen[i] += 100;
    }
}
