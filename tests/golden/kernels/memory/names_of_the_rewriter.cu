// The program has variables and labels with the names that the rewriter uses itself, also in inline PTX.
//
// RUN: ccc --block 96
// LAUNCH: ccc_region 2 96 i32:250 i32[250]=below:9:1 i32[250]=0
// EXPECT: same-memory
__device__ int ccc_stack[4] = {3, 1, 4, 1};
__shared__ int ccc_x[8];
extern "C" __global__ void ccc_region(int n, const int *__restrict__ ccc_top, int *__restrict__ out) {
    if (threadIdx.x < 8) ccc_x[threadIdx.x] = threadIdx.x * 3;
    if (threadIdx.x == 0) for (int j = blockDim.x; j < 8; ++j) ccc_x[j] = j * 3;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (ccc_top[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5) + ccc_stack[j & 3] + ccc_x[j & 7];
            asm volatile("{\n .reg .u32 %%ccc_top, %%ccc_mask;\n .reg .pred %%ccc_active;\n mov.u32 %%ccc_top, 5;\n setp.gt.s32 %%ccc_active, %0, 0;\n@%%ccc_active add.s32 %%ccc_top, %%ccc_top, 1;\n add.s32 %%ccc_top, %%ccc_top, 7;\n add.u32 %0, %0, %%ccc_top;\n}" : "+r"(h));
            out[i] = h;
        }
    }
}
