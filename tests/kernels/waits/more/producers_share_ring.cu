// Several producers draw places of a ring, wait until the place is empty and fill it; one lane of the warp empties them in order.
// HANGS: O3 G
// ENDS: 7750 7750
extern "C" __global__ void k(int *data, int n) {
    __shared__ int ring[8], place;
    if (threadIdx.x < 8) ring[threadIdx.x] = 0;
    if (threadIdx.x == 0) place = 0;
    __syncthreads();
    if (threadIdx.x < 31) {
        for (int r = 0; r < n; ++r) {
            int at = atomicAdd(&place, 1), turn = at % 8;
            int item = threadIdx.x * n + r + 1;
            while (atomicCAS(&ring[turn], 0, 1000 + item) != 0) {}
        }
    } else if (threadIdx.x == 31) {
        int sum = 0;
        for (int at = 0; at < 31 * n; ++at) {
            int item;
            while ((item = atomicExch(&ring[at % 8], 0)) == 0) {}
            sum += item % 1000;
        }
        data[blockIdx.x] = sum;
    }
}
