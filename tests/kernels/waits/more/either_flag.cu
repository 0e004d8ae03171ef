// A lane goes on when one of two flags is up; both belong to lanes behind it in a heap.
// HANGS: O3 G
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    volatile int *f = data + blockIdx.x * 64;
    int i = threadIdx.x;
    if (2 * i + 2 < 64) {
        for (;;) {
            if (f[2 * i + 1] != 0) break;
            if (f[2 * i + 2] != 0) break;
        }
    }
    f[i] = n - 3;
}
