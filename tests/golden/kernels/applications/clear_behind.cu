// Messages of particles: full boxes are summed, and each box is cleared behind the branch.
//
// RUN: ccc --block 96
// LAUNCH: boxes 2 96 i32:1000 u32[1000]=rand:5 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void boxes(int n, unsigned int *box, unsigned int *sum) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if independent
        if (box[i] & 8) {
            unsigned int s = 0;
            for (int k = 0; k < 8; ++k) s = s * 3 + (box[i] >> k);
            sum[i] = s;
        }
        box[i] = 0;
    }
}
