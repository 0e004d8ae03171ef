// A rare branch reads an element that the iteration overwrites behind the branch.
//
// RUN: ccc --block 96
// LAUNCH: read_then_overwritten 2 96 i32:1000 i32[1000]=below:8:1 i32[1000]=0
// LAUNCH: read_then_overwritten 1 33 i32:77 i32[1000]=below:8:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void read_then_overwritten(int n, int *a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (a[i] > 5) {
            int s = 1;
            for (int k = 0; k < a[i]; ++k) s = s * 3 + a[i];
            out[i] = s;
        }
        a[i] = i & 3;
    }
}
