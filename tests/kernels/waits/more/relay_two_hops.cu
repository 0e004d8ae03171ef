// A question goes through both blocks: lane to second warp, to the other block, back to the second warp and to the lanes that wait.
// HANGS: O3 G
// ENDS: 31 31 31 31
__device__ int hop[2][4];
extern "C" __global__ void k(int *data, int n) {
    int b = blockIdx.x, i = threadIdx.x, v;
    if (i < 31) {
        while ((v = atomicAdd(&hop[b][3], 0)) == 0) {}
        atomicAdd(&data[b], v);
        atomicAdd(&data[2 + b], n - 3);
    } else if (i == 31) {
        atomicExch(&hop[b][0], n - 3);
    } else if (i == 32) {
        while ((v = atomicAdd(&hop[b][0], 0)) == 0) {}
        atomicExch(&hop[1 - b][1], v);
    } else if (i == 33) {
        while ((v = atomicAdd(&hop[b][1], 0)) == 0) {}
        atomicExch(&hop[1 - b][2], v);
    } else if (i == 34) {
        while ((v = atomicAdd(&hop[b][2], 0)) == 0) {}
        atomicExch(&hop[b][3], v);
    }
}
