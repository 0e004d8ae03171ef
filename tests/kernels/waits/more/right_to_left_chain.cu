// Each lane waits for the sum of the lane to its right, from the last thread to the first.
// HANGS: O3 G
// ENDS: 131 130 129 128 127
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int last = gridDim.x * blockDim.x - 1;
    int v = n;
    if (t != last) {
        int seen;
        do seen = atomicAdd(&data[t + 1], 0); while (seen == 0);
        v = seen + 1;
    }
    atomicExch(&data[t], v);
}
