// A marked while with two breaks, a continue and a value that is redefined in each round.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:100:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = kind[i], s = 0, r = 1;
#CCC while
        while (x > 1) {
            ++s;
            if (s > 40) break;
            r = r * 3 + x;
            if (x == 17) continue_here: break;
            if (x % 5 == 0) { x = x / 5 + 1; if (x == 2) { x = 1; } continue; }
            x = x & 1 ? 3 * x + 1 : x / 2;
        }
        out[i] = s;
        more[i] = r + x;
    }
}
