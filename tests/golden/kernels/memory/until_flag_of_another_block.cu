// One block runs the marked loop again and again until another block, which waits a while, raises a flag; lanes may see it at different times.
//
// RUN: ccc --block 64
// REFUSED: line 20: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.volatile.global.u32)
extern "C" __global__ void poll(int n, const int *__restrict__ k, volatile int *flag, int *__restrict__ out) {
    if (blockIdx.x == 1) {
        if (threadIdx.x == 0) { for (int j = 0; j < 400; ++j) __nanosleep(20); *flag = 1; }
        return;
    }
    do {
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
            if (k[i] > 6) {
                int x = k[i];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[i] = x;
            }
        }
    } while (*flag == 0);
}
