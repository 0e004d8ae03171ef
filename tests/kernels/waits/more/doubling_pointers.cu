// Pointer jumping with waits: a lane doubles its link after the lane that it points to has done the same round.
// ENDS: 0 1 2 3 4 5
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int link[7][64], dist[7][64], ready[7][64];
    int i = threadIdx.x;
    for (int r = 0; r < 7; ++r) ready[r][i] = 0;
    __syncthreads();
    int to = i > 0 ? i - 1 : 0, d = i > 0 ? n - 3 : 0;
    for (int r = 0; r < 7; ++r) {
        link[r][i] = to;
        dist[r][i] = d;
        __threadfence_block();
        ready[r][i] = 1;
        while (ready[r][to] == 0) {}
        d += to != i ? dist[r][to] : 0;
        to = link[r][to];
    }
    data[blockIdx.x * 64 + i] = d;
}
