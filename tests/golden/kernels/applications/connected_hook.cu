// Hooking of connected components: the smaller label wins, along both directions of an edge.
//
// RUN: ccc --block 96
// LAUNCH: hook 2 96 i32:1000 u32[1000]=rand:8 u32[1000]=iota u32[1000]=1000
// EXPECT: same-memory
extern "C" __global__ void hook(int n, const unsigned int *__restrict__ edge, const unsigned int *__restrict__ label, unsigned int *__restrict__ next) {
    //#CCC for
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < n; e += gridDim.x * blockDim.x) {
        unsigned int a = (edge[e] & 0xffff) % n, b = (edge[e] >> 16) % n;
        unsigned int la = label[a], lb = label[b];
        //#CCC if
        if (la > lb + n / 2) {
            atomicMin(&next[la], lb);
        }
        //#CCC if
        else if (lb > la + n / 2) {
            atomicMin(&next[lb], la);
        }
    }
}
