// A rare branch writes a slot of its thread in shared memory; a neighbour reads it behind the loop after __syncwarp.
//
// RUN: ccc --block 96
// LAUNCH: warp_reads_behind_loop 2 96 i32:3 i32[1000]=below:6:1 i32[192]=0
// LAUNCH: warp_reads_behind_loop 1 64 i32:2 i32[1000]=below:6:2 i32[192]=0
// EXPECT: same-memory

extern "C" __global__ void warp_reads_behind_loop(int rounds, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int cell[96 * 4];
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) cell[t * 4 + k] = -1;
    __syncwarp();
//#CCC for
    for (int r = 0; r < rounds; ++r) {
//#CCC if
        if (in[r * 96 + t] == 3) {
            int h = t;
            for (int k = 0; k < 5; ++k) h = h * 7 + k;
            cell[t * 4 + r] = h;
        }
    }
    __syncwarp();
    int other = t ^ 1, s = 0;
    for (int k = 0; k < 4; ++k) s = s * 31 + cell[other * 4 + k];
    out[blockIdx.x * blockDim.x + t] = s;
}
