// Readers enter and leave by counting; the last lane waits until all have left, all readers wait until it has come.
// HANGS: O3 G
// ENDS: 63 1
extern "C" __global__ void k(int *data, int n) {
    __shared__ int in, out, open;
    if (threadIdx.x == 0) { in = 0; out = 0; open = 0; }
    __syncthreads();
    if (threadIdx.x == 63) {
        while (atomicAdd(&in, 0) < 63) {}
        atomicExch(&open, n);
        while (atomicAdd(&out, 0) < 63) {}
        if (blockIdx.x == 0) { data[0] = atomicAdd(&out, 0); data[1] = 1; }
    } else {
        atomicAdd(&in, 1);
        while (atomicAdd(&open, 0) != n) {}
        atomicAdd(&out, 1);
    }
}
