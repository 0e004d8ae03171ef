// The condition claims a key with an atomic; whoever is first writes what depends on the key alone.
//
// RUN: ccc --block 96
// LAUNCH: condition_with_atomic 2 96 i32:1000 i32[1000]=below:200:1 i32[200]=0 i32[200]=0
// LAUNCH: condition_with_atomic 1 33 i32:77 i32[1000]=below:200:2 i32[200]=0 i32[200]=0
// EXPECT: same-memory

extern "C" __global__ void condition_with_atomic(int n, const int *__restrict__ in, int *__restrict__ claims, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int key = in[i];
//#CCC if
        if (key & 1 && atomicAdd(&claims[key], 1) == 0) {
            int h = key;
            for (int k = 0; k < (key & 15); ++k) h = h * 48271 + k;
            out[key] = h;
        }
    }
}
