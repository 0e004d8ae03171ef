// The largest score of a thread, kept by an if and not by max.
//
// RUN: ccc --block 96
// LAUNCH: largest 2 96 i32:1000 u64[1000]=rand:4 u64[288]=0
// EXPECT: same-memory
extern "C" __global__ void largest(int n, const unsigned long long *__restrict__ in, unsigned long long *__restrict__ out) {
    unsigned long long most = 7;
    //#CCC for reduce(max:most)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long v = in[i];
        //#CCC if
        if (v & 4) {
            for (int k = 0; k < 3; ++k) v = v * 3 + 1;
            if (v > most) most = v;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = most;
}
