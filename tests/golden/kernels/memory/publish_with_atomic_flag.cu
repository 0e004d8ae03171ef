// As a queue does: items are written in the path, published by atomicExch on restrict memory behind a fence, and consumed by the second block.
//
// RUN: ccc --block 64
// LAUNCH: publish 2 64 i32:200 i32[200]=below:4:1 i32[200]=5 i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void publish(int n, const int *__restrict__ k, int *__restrict__ data, int *__restrict__ flag, int *__restrict__ out) {
    if (blockIdx.x == 0) {
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
            if (k[i] == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                atomicExch(&data[i], h);
            }
            __threadfence();
            atomicExch(&flag[i], 1);
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            while (atomicAdd(&flag[i], 0) == 0) { }
            __threadfence();
            out[i] = atomicAdd(&data[i], 0);
        }
    }
}
