// A butterfly sum in shared memory: in each step a lane waits for the partner whose number differs in one bit.
// ENDS: 68 68 68 68
extern "C" __global__ void k(int *data, int n) {
    __shared__ int slot[6][64];
    int i = threadIdx.x;
    for (int s = 0; s < 6; ++s) slot[s][i] = 0;
    __syncthreads();
    int v = 1;
    for (int s = 0; s < 6; ++s) {
        atomicExch(&slot[s][i], v);
        int w;
        while ((w = atomicCAS(&slot[s][i ^ (1 << s)], 0, 0)) == 0) {}
        v += w;
    }
    data[blockIdx.x * 64 + i] = v + n;
}
