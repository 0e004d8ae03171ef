// A median filter of five samples, where the sample stands out from its neighbours.
//
// RUN: ccc --block 96
// LAUNCH: median 2 96 i32:1000 i16[1004]=rand:18 i16[1000]=0
// EXPECT: same-memory
__device__ void order(short &a, short &b) { if (a > b) { short t = a; a = b; b = t; } }
extern "C" __global__ void median(int n, const short *in, short *out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        short v[5];
        for (int k = 0; k < 5; ++k) v[k] = in[i + k];
        //#CCC if independent
        if (abs(v[2] - v[1]) > 20000 && abs(v[2] - v[3]) > 20000) {
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4 - a; ++b) order(v[b], v[b + 1]);
            out[i] = v[2];
        }
    }
}
