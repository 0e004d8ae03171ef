// The inner loop's counter is moved on by its body, over runs of equal keys.
//
// RUN: ccc --block 96
// LAUNCH: runs 2 96 i32:250 i32[250]=below:200:1 i32[250]=below:3:2 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void runs(int n, const int *__restrict__ first, const int *__restrict__ key, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC for
        for (int e = first[i]; e < 250; ++e) {
            int f = e;
            while (e + 1 < 250 && key[e + 1] == key[e]) ++e;
            atomicAdd(&out[f], e - f + 1);
        }
    }
}
