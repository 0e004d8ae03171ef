// Particles that scatter: each thread carries the state of its generator from one step to the next.
//
// RUN: ccc --block 96
// LAUNCH: scatter 2 96 i32:1000 u32[192000]=0
// EXPECT: same-memory
extern "C" __global__ void scatter(int n, unsigned int *out) {
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long state = t * 77777ull + 1;
    int steps = n / 10;
    unsigned int *cursor = out + t * 100;
    //#CCC for
    for (int s = 0; s < steps; ++s, ++cursor) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned int r = (unsigned int)(state >> 33);
        //#CCC if
        if (r % 11 == 0) {
            unsigned long long x = state ^ (state >> 17);
            for (int k = 0; k < 5; ++k) x = x * 0x9e3779b97f4a7c15ull + s;
            *cursor = (unsigned int)(x >> 32);
        }
    }
}
