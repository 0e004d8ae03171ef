// A pointer goes to shared memory for small groups and to global memory for the others; the rest reads the shared one.
//
// RUN: ccc --block 96
// LAUNCH: shared_or_global 1 96 i32:200 i32[200]=below:40:1 i32[200]=0 i32[200]=0
// LAUNCH: shared_or_global 1 33 i32:77 i32[200]=below:40:2 i32[200]=0 i32[200]=0
// EXPECT: same-memory

extern "C" __global__ void shared_or_global(int n, const int *__restrict__ in, int *spill, int *__restrict__ out) {
    __shared__ int near[200];
    for (int k = threadIdx.x; k < n; k += blockDim.x) near[k] = k;
    __syncthreads();
//#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = in[i];
        int *room = v & 1 ? near : spill;
//#CCC if
        if (v > 20) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            room[i] = h;
        }
        out[i] = near[i];
    }
}
