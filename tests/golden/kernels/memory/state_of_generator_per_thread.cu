// A random generator's state per thread lies in global memory, is read before the loop and written back after it; the path draws numbers.
//
// RUN: ccc --block 96
// REFUSED: line 17: a value that the marked path computes (register `%r74`) is used after it
extern "C" __global__ void draws(int n, const int *__restrict__ k, unsigned *__restrict__ states, unsigned *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = states[t] + 1;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            unsigned h = 0;
            for (int j = 0; j < 8; ++j) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; h += s; }
            out[i] = h;
        }
    }
    states[t] = s;
}
