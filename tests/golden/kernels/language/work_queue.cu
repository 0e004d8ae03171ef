// Threads fetch their elements from a counter, so that no thread knows how many it gets.
//
// RUN: ccc --block 96
// LAUNCH: work_queue 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1]=0
// LAUNCH: work_queue 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1]=0
// EXPECT: same-memory

extern "C" __global__ void work_queue(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ next) {
//#CCC for
    for (int i; (i = atomicAdd(next, 1)) < n;) {
//#CCC if
        if (in[i] > 30) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            out[i] = h;
        }
    }
}
