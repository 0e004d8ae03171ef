// Lanes that wait for a result do a step of the open work themselves, so that nobody waits for a lane.
// ENDS: 100 100
extern "C" __global__ void k(int *data, int n) {
    __shared__ int done;
    if (threadIdx.x == 0) done = 0;
    __syncthreads();
    int v;
    while ((v = atomicAdd(&done, 0)) < 25 * n) atomicCAS(&done, v, v + 1);
    __syncthreads();
    if (threadIdx.x == 0) data[blockIdx.x] = done;
}
