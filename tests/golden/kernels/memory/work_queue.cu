// Items are drawn from a global counter, so that threads run the marked loop a different number of times.
//
// RUN: ccc --block 96
// LAUNCH: queue 2 96 i32:700 i32[700]=below:9:1 i32[1]=0 i32[700]=0
// EXPECT: same-memory
extern "C" __global__ void queue(int n, const int *__restrict__ k, int *__restrict__ counter, int *__restrict__ out) {
//#CCC for
    for (int i = atomicAdd(counter, 1); i < n; i = atomicAdd(counter, 1)) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
