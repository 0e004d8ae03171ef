// The leaders of the two halves of a warp take a lock, each for its half, with masks for the barriers of a half.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    unsigned half = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
    for (int i = 0; i < n; ++i) {
        if ((threadIdx.x & 15) == 0) {
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
        }
        __syncwarp(half);
        atomicAdd(&data[1], 1);
        __syncwarp(half);
        if ((threadIdx.x & 15) == 0) {
            __threadfence();
            atomicExch(&data[0], 0);
        }
    }
}
