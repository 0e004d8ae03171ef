// Lanes wait for different times by the clock alone and for nobody else.
// ENDS: 64 64
extern "C" __global__ void k(int *data, int n) {
    unsigned begin = clock();
    while ((unsigned)clock() - begin < n * threadIdx.x) {}
    atomicAdd(&data[blockIdx.x], 1);
}
