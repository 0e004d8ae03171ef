// A loop that follows links, of different lengths; the path uses the node.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:96 i32[96]=below:500:5 i32[500]=below:4:1 i32[96]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ head, const int* __restrict__ kind, int* __restrict__ out) {
    int t = threadIdx.x;
    if (t >= n) return;
#CCC for
    for (int p = head[t]; p; p = p / 2) {
#CCC if
        if (kind[p] == 1) {
            int s = p;
            for (int j = 0; j < (p & 3) + 1; ++j) s = s * 31 + j;
            atomicAdd(&out[t], s);
        }
    }
}
