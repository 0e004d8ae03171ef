// Depth of keys in a search tree by recursion, with an argument that counts.
//
// RUN: ccc --block 96
// LAUNCH: depths 2 96 i32:1000 u32[1000]=rand:20 u8[1000]=0
// EXPECT: same-memory
__device__ __forceinline__ bool smaller(unsigned int a, unsigned int b) { return a < b; }
__device__ void descend(unsigned int key, unsigned int low, unsigned int high, int depth, unsigned char *out) {
    unsigned int middle = low + (high - low) / 2;
    if (middle == key || high - low < 2) { *out = depth; return; }
    descend(key, smaller(key, middle) ? low : middle, smaller(key, middle) ? middle : high, depth + 1, out);
}
extern "C" __global__ void depths(int n, const unsigned int *__restrict__ keys, unsigned char *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC recursive
        descend(keys[i] & 0xfff, 0, 1u << (10 + (i & 3)), 0, &out[i]);
    }
}
