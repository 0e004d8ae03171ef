// Vertices of 12 bytes: the path writes `next`, what follows writes `degree` of the same vertex, which the path read.
//
// RUN: ccc --block 96
// LAUNCH: disjoint 2 96 i32:250 i32[750]=below:9:1
// EXPECT: same-memory
struct Vertex { int rank; int degree; int next; };
extern "C" __global__ void disjoint(int n, Vertex *v) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (v[i].degree > 5) {
            int r = v[i].rank;
            for (int k = 0; k < v[i].degree; ++k) r = r * 31 + k;
            v[i].next = r;
        }
        v[i].degree = 1000 + i;
    }
}
