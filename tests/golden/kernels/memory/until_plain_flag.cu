// The same with a plain load through a restrict pointer to const data that nobody changes: it ends after one round.
//
// RUN: ccc --block 64
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.global.nc.u32)
extern "C" __global__ void poll(int n, const int *__restrict__ k, const int *__restrict__ rounds, int *__restrict__ out) {
    if (rounds[blockIdx.x] == 7) return;
    for (int round = 0; round < rounds[0]; ++round) {
//#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
            if (k[i] > 6) {
                int x = k[i];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[i] += x + round;
            }
        }
    }
}
