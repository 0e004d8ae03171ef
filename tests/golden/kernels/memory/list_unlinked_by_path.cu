// A thread walks its own list; the path unlinks the node, which the loop's own step then reads.
//
// RUN: ccc --block 96
// REFUSED: line 8: a value that the marked path computes (register `%r34`) is used after it
extern "C" __global__ void lists(int n, const int *__restrict__ k, int *__restrict__ next, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i = next[i] + gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
            next[i] = 100000;
        }
    }
}
