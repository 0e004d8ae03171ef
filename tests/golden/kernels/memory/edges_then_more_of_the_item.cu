// Behind the inner range, outside its braces, the item's own counter is set, which the range's body reads atomically changed.
//
// RUN: ccc --block 96
// LAUNCH: degree 2 96 i32:250 i32[250]=below:40:1 i32[250]=below:90:2 i32[250]=0 i32[250]=1
// EXPECT: same-memory
extern "C" __global__ void degree(int n, const int *__restrict__ first, const int *__restrict__ len, int *__restrict__ out, int *__restrict__ mark) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        {
//#CCC for
            for (int e = 0; e < len[i]; ++e) {
                int h = e + i;
                for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
                atomicAdd(&out[(e + first[i]) & 127], h + mark[i]);
            }
        }
        mark[i] = 0;
    }
}
