// A warp shares a tile: each lane loads a word, all wait for each other, and the path reads its neighbours' words.
//
// RUN: ccc --block 64
// REFUSED: line 10: `bar.warp.sync` in or before the marked loop would wait for lanes that the rewritten loop keeps elsewhere
extern "C" __global__ void neighbours(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int tile[2][32];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
//#CCC for
    for (int base = (blockIdx.x * 2 + warp) * 32; base < n; base += gridDim.x * 64) {
        __syncwarp();
        tile[warp][lane] = data[base + lane];
        __syncwarp();
//#CCC if
        if (k[base + lane] > 15) {
            int h = 0;
            for (int j = 0; j < 9; ++j) h = h * 33 + tile[warp][(lane + j) & 31];
            out[base + lane] = h;
        }
    }
}
