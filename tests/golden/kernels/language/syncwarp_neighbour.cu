// The rare branch writes the thread's cell, and after __syncwarp the neighbour reads it in the same iteration.
//
// RUN: ccc --block 96
// REFUSED: line 21: may meet, and the path would run later

extern "C" __global__ void syncwarp_neighbour(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int cell[96];
    int t = threadIdx.x;
    cell[t] = t;
    __syncwarp();
//#CCC for
    for (int r = 0; r < rounds; ++r) {
        int v = in[r * 96 + t];
//#CCC if
        if (v > 30) {
            int h = v;
            for (int k = 0; k < (v & 7); ++k) h = h * 3 + t;
            cell[t] = h;
        }
        __syncwarp();
        out[(blockIdx.x * blockDim.x + t) * 5 + r] = cell[t ^ 1];
        __syncwarp();
    }
}
