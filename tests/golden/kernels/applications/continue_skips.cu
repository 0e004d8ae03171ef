// Parsing of records: bad ones are repaired and nothing else is done with them.
//
// RUN: ccc --block 96
// LAUNCH: records 2 96 i32:1000 u16[1000]=rand:9 u16[1000]=0 u32[2]=0
// EXPECT: same-memory
extern "C" __global__ void records(int n, const unsigned short *__restrict__ in, unsigned short *__restrict__ out, unsigned int *__restrict__ count) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned short r = in[i];
        //#CCC if
        if (r % 9 == 4) {
            unsigned short x = r;
            for (int k = 0; k < 4; ++k) x = x * 17 + k;
            out[i] = x;
            atomicAdd(&count[0], 1u);
            continue;
        }
        out[i] = r / 2;
        atomicAdd(&count[1], 1u);
    }
}
