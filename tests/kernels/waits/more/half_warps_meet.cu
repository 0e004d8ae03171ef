// Each half of a warp passes a value along its lanes and then meets at __syncwarp with its half's mask.
// HANGS: O3 G
// ENDS: 16 16 16 16
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int slot[64];
    int i = threadIdx.x, h = i % 16;
    slot[i] = 0;
    __syncthreads();
    unsigned mask = i % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    int v = n - 3;
    if (h > 0) { while (slot[i - 1] == 0) {} v = slot[i - 1] + 1; }
    slot[i] = v;
    __syncwarp(mask);
    data[blockIdx.x * 64 + i] = slot[i | 15];
}
