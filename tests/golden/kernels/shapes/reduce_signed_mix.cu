// A largest number that is compared as unsigned and kept as int, and a smallest one the other way round.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[192]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
    int s = 3; unsigned t = 77;
#CCC for reduce(max:s, min:t)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { s = (int)max((unsigned)s, (unsigned)(v * 31 - 400)); t = (unsigned)min((int)t, 300 - v * 31); }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
    more[blockIdx.x * blockDim.x + threadIdx.x] = t;
}
