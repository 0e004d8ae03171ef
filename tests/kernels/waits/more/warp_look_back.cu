// A scan by look-back in which a warp looks at its four predecessors together and votes; only warps wait.
// ENDS: 496 1520 2544 3568
extern "C" __global__ void k(int *data, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int v = warp * 32 + lane + n - 4;
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (lane == 0) atomicExch(&data[128 + warp], v + 1);
    int at = lane, w;
    do {
        w = at <= warp ? atomicAdd(&data[128 + at], 0) : 1;
    } while (!__all_sync(~0u, w != 0));
    if (lane == 0) data[warp] = v;
}
