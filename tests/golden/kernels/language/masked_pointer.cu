// The branch writes to the first element of an aligned group, whose address it makes with a mask; the group is read behind it.
//
// RUN: ccc --block 96
// LAUNCH: masked_pointer 2 96 i32:250 i32[1000]=below:40:1 i32[250]=0
// LAUNCH: masked_pointer 1 33 i32:77 i32[1000]=below:40:2 i32[250]=0
// EXPECT: same-memory

extern "C" __global__ void masked_pointer(int n, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *p = a + 4 * i + 3;
        int v = *p;
//#CCC if
        if (v > 25) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            *reinterpret_cast<int *>(reinterpret_cast<size_t>(p) & ~size_t(15)) = h;
        }
        out[i] = a[4 * i] + a[4 * i + 1];
    }
}
