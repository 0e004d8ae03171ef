// A kernel of one item per thread with a barrier cannot be run by blocks that stay.
//
// RUN: ccc --block 64
// REFUSED: line 10: the kernel cannot repeat its work for other blocks
// REFUSED: line 14: in no loop that is marked
extern "C" __global__ void smooth(const float *in, float *out) {
    //#CCC grid
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    float x = tile[63 - threadIdx.x];
    //#CCC if
    if (x > 0.5f) { for (int k = 0; k < 8; ++k) x = x * x + 0.1f; out[i] = x; }
}
