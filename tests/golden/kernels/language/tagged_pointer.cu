// A pointer carries a tag in its lowest bit, which the branch takes off before it writes.
//
// RUN: ccc --block 96
// LAUNCH: tagged_pointer 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1000]=0
// LAUNCH: tagged_pointer 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void tagged_pointer(int n, const int *__restrict__ in, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        size_t tagged = reinterpret_cast<size_t>(a + i) | (v & 1);
//#CCC if
        if (v > 25) {
            int h = tagged & 1;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            *reinterpret_cast<int *>(tagged & ~size_t(1)) = h;
        }
        out[i] = a[i] + 1;
    }
}
