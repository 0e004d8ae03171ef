// The rare branch ends with `continue`, so that what follows is for the others only.
//
// RUN: ccc --block 96
// LAUNCH: continue_in_path 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[1]=0
// LAUNCH: continue_in_path 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[1]=0
// EXPECT: same-memory

extern "C" __global__ void continue_in_path(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ plain) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 30) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) {
                h = h * 48271 + k;
                if ((h & 31) == 5) break;
            }
            out[i] = h;
            if (h & 1) continue;
            out[i] ^= 77;
            continue;
        }
        out[i] = -1;
        atomicAdd(plain, 1);
    }
}
