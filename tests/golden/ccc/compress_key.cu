// The paper's example of a compressed context (Section 4.1): the key is a part of the pair, so that of the two only the pair travels. What is
// computed from the key is computed again too.
//
// RUN: ccc --block 64
// REPORT: context 12 bytes
// REPORT: b64: recomputed from
// REPORT: b64: recomputed from
// REPORT: without compression 32 bytes
// PTXAS: sm_90
// LAUNCH: insert 2 64 i32:1000 u64[1000]=rand:1 i32[256]=below:3:4 u64[1000]=0
// LAUNCH: insert 1 33 i32:1000 u64[1000]=rand:2 i32[256]=below:3:5 u64[1000]=0
// LAUNCH: insert 1 1 i32:100 u64[1000]=rand:3 i32[256]=below:3:6 u64[1000]=0
// EXPECT: same-memory

extern "C" __global__ void insert(int n, const unsigned long long *pairs, const int *full, unsigned long long *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long pair = pairs[i];
        unsigned key = static_cast<unsigned>(pair >> 32);
        unsigned place = key & 255;
#CCC if
        if (full[place] == 1) {
            unsigned long long hash = pair;
            for (int k = 0; k < 20; ++k) hash = hash * (key | 1) + place;
            out[i] = hash;
        }
    }
}
