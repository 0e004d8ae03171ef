// A branch that needs many values of many types: booleans, bytes, shorts, floats, doubles and 64-bit integers.
//
// RUN: ccc --block 96
// LAUNCH: wide_context 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: wide_context 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void wide_context(int n, const int *__restrict__ in, int *__restrict__ out) {
    bool flip = threadIdx.x & 2;
    unsigned char byte = threadIdx.x * 5;
    short half = -(int)threadIdx.x;
    float f = threadIdx.x * 0.5f;
    double d = threadIdx.x * 0.25;
    long long wide = 1ll << (threadIdx.x & 31);
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 30) {
            int h = flip ? byte : half;
            for (int k = 0; k < 4; ++k) h = h * 31 + (int)f + (int)d + (int)(wide >> k);
            out[i] = h;
        }
        flip = flip != (in[i] > 20);
        byte += in[i];
        half -= in[i] * 3;
        f = f * 0.5f + in[i];
        d = d * 0.5 - in[i];
        wide = wide * 3 + in[i];
    }
}
