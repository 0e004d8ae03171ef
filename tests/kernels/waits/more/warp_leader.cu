// The first lane of each warp takes the lock for its warp, and all lanes of the warp work under it.
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    int lane = threadIdx.x & 31;
    for (int i = 0; i < n; ++i) {
        if (lane == 0) {
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
        }
        __syncwarp();
        atomicAdd(&data[1], 1);
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicExch(&data[0], 0);
        }
        __syncwarp();
    }
}
