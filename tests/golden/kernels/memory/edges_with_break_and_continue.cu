// The inner range ends early for some items and skips some of its members.
//
// RUN: ccc --block 96
// LAUNCH: search 2 96 i32:250 i32[250]=below:200:1 i32[250]=below:50:2 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void search(int n, const int *__restrict__ first, const int *__restrict__ key, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC while
        for (int e = first[i]; e < 250; ++e) {
            if (key[e] == 7) break;
            if (key[e] & 1) continue;
            unsigned h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
        }
    }
}
