// The last lane of a warp sets a flag, the other warp passes it on, and the first lane waits for the answer.
// HANGS: O3 G
// ENDS: 9 9
extern "C" __global__ void k(int *data, int n) {
    __shared__ int ask, answer;
    if (threadIdx.x == 0) { ask = 0; answer = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        int v;
        while ((v = atomicAdd(&answer, 0)) == 0) {}
        data[blockIdx.x] = v;
    } else if (threadIdx.x == 31) {
        atomicExch(&ask, n);
    } else if (threadIdx.x == 40) {
        int v;
        while ((v = atomicAdd(&ask, 0)) == 0) {}
        atomicExch(&answer, v + 5);
    }
}
