// Double-buffered cells per warp; the shuffle of the next round orders the branch's reads of its neighbours.
//
// RUN: ccc --block 96
// REFUSED: line 12: may meet the store to `cell`

extern "C" __global__ void shuffle_as_barrier(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int cell[2][96];
    int t = threadIdx.x;
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int v = in[r * 96 + t];
        cell[r & 1][t] = v;
        __syncwarp();
//#CCC if
        if (v % 8 == 3) {
            int h = v;
            for (int k = 0; k < 8; ++k) h = h * 3 + cell[r & 1][t ^ k];
            out[r * 96 + t] = h;
        }
    }
}
