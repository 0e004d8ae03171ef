// The path draws from the thread's generator, whose state stays in global memory: the iterations of a thread depend on each other.
//
// RUN: ccc --block 96
// REFUSED: line 14: the load of `states` at line 11 of the marked path and the store to `states` at line 14 are to one place in all iterations of a thread, and the path would run when a later iteration has come there
extern "C" __global__ void draws(int n, const int *__restrict__ k, unsigned *__restrict__ states, unsigned *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            unsigned s = states[t] + 1, h = 0;
            for (int j = 0; j < 8; ++j) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; h += s; }
            out[i] = h;
            states[t] = s;
        }
    }
}
