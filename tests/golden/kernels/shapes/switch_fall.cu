// A marked case falls through into the next one.
//
// RUN: ccc --block 96
// REFUSED: line 21: the load of `out` at line 21 depends on the store to `out` at line 17 of the marked path, which would run later, and cannot run with it
// LAUNCH: k 2 96 i32:250 i32[250]=below:7:1 i32[250]=0 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        switch (v) {
            case 0: more[i] = 9;
#CCC case
            case 1: {
                int s = i;
                for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
                out[i] = s;
            }
            case 2: more[i] += 3;
#CCC case
            case 3: { out[i] += 5; break; }
            case 5: more[i] = 1;
            default: out[i] += 7;
        }
    }
}
