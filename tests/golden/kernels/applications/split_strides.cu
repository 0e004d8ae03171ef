// Ranges that count down, by threes, and with wide numbers, shared among idle lanes.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: ranges 2 96 i32:1000 u8[1000]=rand:18 u32[512]=0
// EXPECT: same-memory
extern "C" __global__ void ranges(int n, const unsigned char *__restrict__ in, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int w = in[i];
        if (w & 1) {
            //#CCC for
            for (int k = w; k > 2; k -= 3) atomicAdd(&out[(k * w) & 255], (unsigned)k);
        } else {
            //#CCC for
            for (long long k = w; k <= 3LL * w; k += 5) atomicAdd(&out[256 + ((k ^ w) & 255)], (unsigned)(k + i));
        }
    }
}
