// A warp draws 32 items at a time: lane 0 adds to the counter and hands the number on by a shuffle, all lanes in step.
//
// RUN: ccc --block 96
// REFUSED: line 10: `shfl.sync.idx.b32` in or before the marked loop would wait for lanes that the rewritten loop keeps elsewhere
extern "C" __global__ void queue(int n, const int *__restrict__ k, int *__restrict__ counter, int *__restrict__ out) {
    int lane = threadIdx.x & 31;
//#CCC for
    for (int base = 0; base < n;) {
        if (lane == 0) base = atomicAdd(counter, 32);
        base = __shfl_sync(0xffffffff, base, 0);
        int i = base + lane;
//#CCC if
        if (i < n && k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
