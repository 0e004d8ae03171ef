// A three-dimensional block with launch bounds; the thread's rank is computed from three indices.
//
// RUN: ccc
// LAUNCH: block_3d 2 5,3,2 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: block_3d 1 4,4,6 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void __launch_bounds__(96, 2) block_3d(int n, const int *__restrict__ in, int *__restrict__ out) {
    int size = blockDim.x * blockDim.y * blockDim.z;
    int rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = blockIdx.x * size + rank; i < n; i += gridDim.x * size) {
//#CCC if
        if (in[i] > 33) {
            int s = i;
            for (int k = 0; k < in[i]; ++k) s = s * 3 ^ threadIdx.y << 4 ^ threadIdx.z;
            out[i] = s;
        }
    }
}
