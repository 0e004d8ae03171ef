// A warp goes round until all of its lanes have seen the other block's flags; the vote keeps them together.
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    int i = threadIdx.x, b = blockIdx.x;
    atomicAdd(&data[b * 64 + i], n - 3);
    bool ok;
    do {
        ok = atomicAdd(&data[(1 - b) * 64 + 63 - i], 0) != 0;
    } while (!__all_sync(0xffffffffu, ok));
}
