// The thread's own histogram is counted behind the branch, by what the path wrote for the item.
//
// RUN: ccc --block 96
// REFUSED: line 16: a value that the marked path computes (register `%r38`) is used after it
extern "C" __global__ void histogram(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ rows) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
        rows[16 * t + (out[i] & 15)]++;
    }
}
