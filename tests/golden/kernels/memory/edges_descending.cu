// Inner ranges are run downwards, with unsigned counters, to a bound of the item.
//
// RUN: ccc --block 96
// LAUNCH: down 2 96 i32:250 i32[250]=below:40:1 i32[250]=below:90:2 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void down(int n, const int *__restrict__ first, const int *__restrict__ len, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int lo = first[i];
//#CCC for
        for (int e = lo + len[i] - 1; e >= lo; --e) {
            int h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
        }
    }
}
