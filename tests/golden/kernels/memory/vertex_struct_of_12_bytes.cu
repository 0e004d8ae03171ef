// PageRank over vertices of 12 bytes: the marked path writes one member, what follows reads it and another one.
//
// RUN: ccc --block 96
// LAUNCH: rank 2 96 i32:250 i32[750]=below:9:1 i32[250]=0
// EXPECT: same-memory
struct Vertex { int rank; int degree; int next; };
extern "C" __global__ void rank(int n, Vertex *v, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (v[i].degree > 5) {
            int r = v[i].rank;
            for (int k = 0; k < v[i].degree; ++k) r = r * 31 + k;
            v[i].next = r;
        }
        out[i] = v[i].next + v[i].rank;
        v[i].rank = 7;
    }
}
