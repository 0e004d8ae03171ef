// Neighbours in a warp hand over a value by shared memory before the rare branch, with a warp barrier.
//
// RUN: ccc --block 64
// REFUSED: line 12: may meet the store to `lane_value`
extern "C" __global__ void exchange(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    __shared__ unsigned int lane_value[64];
    int rounds = (n + 127) / 128;
    //#CCC for
    for (int r = 0; r < rounds; ++r) {
        int i = r * 128 + blockIdx.x * 64 + threadIdx.x;
        __syncwarp();
        lane_value[threadIdx.x] = in[i] ^ 0x55;
        __syncwarp();
        //#CCC if
        if (in[i] % 4 == 0) {
            unsigned int x = lane_value[threadIdx.x ^ 1];
            for (int k = 0; k < 6; ++k) x = x * 5 + k;
            out[i] = x;
        }
    }
}
