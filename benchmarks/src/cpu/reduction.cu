// A sum of integers, as the SDK before Volta has it: a tree with barriers, and its last six levels by one warp in lockstep.
// Every block adds up its share; a second launch with one block adds up what the blocks have.

extern "C" __global__ void reduce(const int *in, int *out, unsigned count)
{
    __shared__ int sums[256];
    unsigned thread = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * 512 + thread; i < count; i += 512 * gridDim.x) {
        sum += in[i];
        if (i + 256 < count) sum += in[i + 256];
    }
    sums[thread] = sum;
    __syncthreads();
    for (unsigned width = 128; width > 32; width >>= 1) {
        if (thread < width) sums[thread] += sums[thread + width];
        __syncthreads();
    }
    if (thread < 32) {
        volatile int *warp = sums;
        warp[thread] += warp[thread + 32];
        warp[thread] += warp[thread + 16];
        warp[thread] += warp[thread + 8];
        warp[thread] += warp[thread + 4];
        warp[thread] += warp[thread + 2];
        warp[thread] += warp[thread + 1];
    }
    if (thread == 0) out[blockIdx.x] = sums[0];
}
