// What follows reads through a pointer that is either a tile in shared memory or the array that the path writes.
//
// RUN: ccc --block 96
// REPORT: what follows runs with it
// LAUNCH: either 2 96 i32:250 i32[250]=below:4:1 i32[250]=7 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void either(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
    __shared__ int tile[32];
    if (threadIdx.x < 32) tile[threadIdx.x] = threadIdx.x * 100;
    if (threadIdx.x == 0) for (int j = blockDim.x; j < 32; ++j) tile[j] = j * 100;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = k[i];
//#CCC if
        if (kind > 1) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i] = h;
        }
        const int *p = (kind & 1) ? &a[i] : &tile[i & 31];
        out[i] = *p;
    }
}
