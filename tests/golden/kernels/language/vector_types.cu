// Points as int4 in one array; the rare branch moves a point and stores it whole.
//
// RUN: ccc --block 96
// LAUNCH: vector_types 2 96 i32:250 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: vector_types 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void vector_types(int n, const int4 *__restrict__ in, int4 *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int4 p = in[i];
//#CCC if
        if (p.x + p.y > 50) {
            int4 q = make_int4(p.w, p.z, p.y, p.x);
            for (int k = 0; k < 4; ++k) { q.x = q.x * 3 + q.w; q.w ^= q.y << k; }
            out[i] = q;
        }
    }
}
