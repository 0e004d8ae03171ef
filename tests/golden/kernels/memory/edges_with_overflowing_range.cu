// An inner independent range from far below zero to far above, whose length does not fit an int.
//
// RUN: ccc --block 96
// LAUNCH: far 2 96 i32:250 i32[250]=below:4:1 i32[2500]=0
// EXPECT: same-memory
extern "C" __global__ void far(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int end = k[i] * 600000000;
//#CCC for
        for (int e = -2000000000; e < end; e += 500000000) {
            int h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[10 * i + (e + 2000000000u) / 500000000u], h);
        }
    }
}
