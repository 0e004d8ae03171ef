// The waiting lane reads shared memory through a generic address made from a number, the other writes by name.
// HANGS: O3 G
// ENDS: 5 5
extern "C" __global__ void k(int *data, int n) {
    __shared__ int box[4];
    if (threadIdx.x < 4) box[threadIdx.x] = 0;
    __syncthreads();
    unsigned low = (unsigned)__cvta_generic_to_shared(box);
    int *q = (int *)__cvta_shared_to_generic((size_t)low + 8);
    if (threadIdx.x == 3) {
        int v;
        while ((v = *(volatile int *)q) == 0) {}
        data[blockIdx.x] = v;
    } else if (threadIdx.x == 4) {
        *(volatile int *)&box[2] = n + 1;
    }
}
