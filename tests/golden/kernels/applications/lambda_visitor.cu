// A walk over slotted edges that hands each to a lambda, marked inside of a template.
//
// RUN: ccc --block 96
// LAUNCH: visit 2 96 i32:1000 u8[1000]=rand:25 u32[512]=0
// EXPECT: same-memory
template <class Visit> __device__ void each_item(int n, const unsigned char *weight, Visit visit) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char w = weight[i];
        //#CCC if
        if (w < 50) visit(i, w);
    }
}
extern "C" __global__ void visit(int n, const unsigned char *__restrict__ weight, unsigned int *__restrict__ out) {
    each_item(n, weight, [&](int i, unsigned char w) {
        unsigned int x = i;
        for (int k = 0; k < w; ++k) x = x * 1103515245u + 12345u;
        atomicAdd(&out[x & 255], w);
    });
    each_item(n / 2, weight, [&](int i, unsigned char w) { atomicMax(&out[256 + (i & 255)], w + i); });
}
