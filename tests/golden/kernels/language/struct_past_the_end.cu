// A member array is indexed past its end into the next member, as code with one allocation for all likes to do.
//
// RUN: ccc --block 96
// LAUNCH: struct_past_the_end 2 96 i32:128 i32[384]=below:40:1 i32[128]=0
// LAUNCH: struct_past_the_end 1 33 i32:77 i32[384]=below:40:2 i32[128]=0
// EXPECT: same-memory

extern "C" __global__ void struct_past_the_end(int n, int *s, int *__restrict__ out) {
    int *key = s, *value = s + 128;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = key[i] > 5 ? 128 : 256;
//#CCC if
        if (key[i] > 20) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + key[i];
            key[at + i] = h;
        }
        out[i] = value[i];
    }
}
