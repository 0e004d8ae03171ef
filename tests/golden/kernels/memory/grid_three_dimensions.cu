// One voxel per thread, in a grid and blocks of three dimensions.
//
// RUN: ccc --block 64
// LAUNCH: voxels 3,2,2 4,4,4 i32:11 i32:7 i32:8 i32[616]=below:40:1 i32[616]=0
// EXPECT: same-memory
extern "C" __global__ void voxels(int w, int h, int d, const int *__restrict__ k, int *__restrict__ out) {
//#CCC grid blocks(3)
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= w || y >= h || z >= d) return;
    int i = (z * h + y) * w + x;
//#CCC if
    if (k[i] > 20) {
        int s = x * 100 + y * 10 + z + blockIdx.z * 1000 + gridDim.y;
        for (int j = 0; j < 9; ++j) s = s * 33 + (s >> 5);
        out[i] = s;
    }
}
