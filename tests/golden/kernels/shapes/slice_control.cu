// The rest that depends on the path lies under conditions, in a loop and behind a continue.
//
// RUN: ccc --block 96
// REFUSED: line 17: the load of `a` at line 17 depends on the store to `a` at line 12 of the marked path, which would run later, and cannot run with it
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* __restrict__ a, int* __restrict__ o1, int* __restrict__ o2, int* __restrict__ counts) {
    int count = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[i] = i * 7 + v;
        }
        count++;
        if (v == 3) continue;
        if (v > 1) {
            for (int j = 0; j < v; ++j) { o1[i] += a[i] * j + count; }
            count += v;
        }
        o2[i] = count * 2 + a[i];
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
