// Pointers are advanced by the stride of the loop; the rest reads behind the already advanced pointer what the path wrote.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    int* p = a + t;
    int* end = a + n;
    int* o = out + t;
    const int* q = kind + t;
#CCC for
    for (; p < end; ) {
        int v = *q;
        int* w = p;
        p += stride;
#CCC if
        if (v & 1) {
            *w = v * 77;
        }
        *o = p[-stride] + 1;
        o += stride;
        q += stride;
    }
}
