// Particles that split: children are appended at the end of a list, whose entries are only added up.
//
// RUN: ccc --block 96
// LAUNCH: split 2 96 i32:1000 u32[1000]=rand:22 u32[1]=0 u32[1000]=0 u32[1]=0
// EXPECT: same-memory
extern "C" __global__ void split(int n, const unsigned int *__restrict__ energy, unsigned int *__restrict__ count, unsigned int *__restrict__ taken, unsigned int *__restrict__ sum) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int e = energy[i];
        //#CCC if
        if (e > 0xc0000000u) {
            unsigned int at = atomicAdd(count, 2u);
            atomicExch(&taken[at % 1000], 1u);
            atomicExch(&taken[(at + 1) % 1000], 1u);
            __threadfence();
            atomicAdd(sum, e / 2);
        }
    }
}
