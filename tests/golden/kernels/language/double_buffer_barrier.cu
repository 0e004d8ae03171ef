// Double-buffered tiles with one barrier per round; the rare branch reads the tile of its round.
//
// RUN: ccc --block 96
// REFUSED: line 12: may meet the store to `tile`

extern "C" __global__ void double_buffer_barrier(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int tile[2][96];
    int t = threadIdx.x, size = blockDim.x;
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int *now = tile[r & 1];
        now[t] = in[r * size + t];
        __syncthreads();
//#CCC if
        if (now[t] % 8 == 3) {
            int h = 0;
            for (int k = 0; k < 8; ++k) h = h * 31 + now[(t + k * k) % size];
            out[r * size + t] = h;
        }
    }
}
