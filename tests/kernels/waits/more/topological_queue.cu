// A graph without levels: lanes take nodes in any order from a counter and wait for the smaller of two inputs, then for the other.
// HANGS: O3 G
// ENDS: 1 1 2 2 3 3 4 4 5 5
extern "C" __global__ void k(int *data, int n) {
    __shared__ int next, value[64];
    value[threadIdx.x] = 0;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    int node = atomicAdd(&next, 1), best = 0;
    int inputs[2] = {node - 2, node - n};
    for (int j = 0; j < 2; ++j) {
        int from = inputs[j], v = 0;
        if (from >= 0) {
            do { v = atomicAdd(&value[from], 0); } while (v == 0);
        }
        best = max(best, v);
    }
    atomicExch(&value[node], best + 1);
    data[blockIdx.x * 64 + node] = best + 1;
}
