// An `if`/`else if` chain: a lane takes one path at most, each has a stack, and the last `else` stays where it is. Between `else` and `if`
// the directive has a line of its own.
//
// RUN: ccc --block 64
// REPORT: region line 27 in loop line 25
// REPORT: region line 33 in loop line 25
// REPORT: region line 37 in loop line 25
// PTXAS: sm_90
// LAUNCH: chain 2 64 i32:3000 i32[3000]=rand:1 i32[3000]=0
// LAUNCH: chain 1 33 i32:500 i32[500]=rand:2 i32[500]=0
// LAUNCH: chain 1 1 i32:70 i32[70]=rand:3 i32[70]=0
// LAUNCH: chain 3 31 i32:999 i32[999]=iota i32[999]=0
// LAUNCH: chain 1 64 i32:640 i32[640]=0 i32[640]=0
// LAUNCH: chain 1 64 i32:640 i32[640]=2 i32[640]=0
// LAUNCH: chain 1 64 i32:640 i32[640]=7 i32[640]=0
// EXPECT: same-memory
// LAUNCH: chain 1 64 i32:3000 i32[3000]=rand:4 i32[3000]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: chain 1 64 i32:0 i32[1]=0 i32[1]=0
// EXPECT: no-writes

extern "C" __global__ void chain(int n, const int *key, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        } else
#CCC if
        if ((key[i] & 7) == 1) {
            for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k * i);
        } else
#CCC if
        if ((key[i] & 7) == 2) {
            float x = i;
            for (int k = 0; k < 20; ++k) x = x * 0.5f + k;
            out[i] = x;
        } else {
            out[i] = -key[i] / 3;
        }
    }
}
