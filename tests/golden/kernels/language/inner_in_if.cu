// An inner range in a marked `if`, with work before it; both have a stack.
//
// RUN: ccc --block 96
// LAUNCH: inner_in_if 2 96 i32:100 i32[100]=below:12:1 i32[1200]=0 i32[4]=0
// LAUNCH: inner_in_if 1 33 i32:77 i32[100]=below:12:2 i32[1200]=0 i32[4]=0
// EXPECT: same-memory

extern "C" __global__ void inner_in_if(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ total) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] & 1) {
            int h = i;
            for (int k = 0; k < 20; ++k) h = h * 48271 + k;
            atomicXor(&total[1], h);
//#CCC for
            for (int k = 0; k < in[i]; ++k) {
                out[i * 12 + k] = h + k;
                atomicAdd(&total[0], k);
            }
        }
    }
}
