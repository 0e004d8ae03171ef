// Threads draw tickets until all are gone; the holder of a ticket waits until the one before it is done.
// HANGS: O3 G
// ENDS: 200 3012
__device__ int ticket;
extern "C" __global__ void k(int *data, int n) {
    for (;;) {
        int t = atomicAdd(&ticket, 1);
        if (t >= 50 * n) break;
        while (atomicAdd(&data[0], 0) != t) {}
        atomicExch(&data[1], (atomicAdd(&data[1], 0) * 3 + t) % 4096);
        __threadfence();
        atomicAdd(&data[0], 1);
    }
}
