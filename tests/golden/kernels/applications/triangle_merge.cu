// Triangles of a graph: common neighbours of both ends of an edge by merging sorted lists.
//
// RUN: ccc --block 96
// LAUNCH: triangles 2 96 i32:1000 u32[1000]=rand:23 i32[288]=0
// EXPECT: same-memory
extern "C" __global__ void triangles(int n, const unsigned int *__restrict__ edges, int *__restrict__ found) {
    int mine = 0;
    //#CCC for reduce(+:mine)
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < n; e += gridDim.x * blockDim.x) {
        unsigned int pair = edges[e];
        unsigned int a = pair & 63, b = (pair >> 6) & 63;
        //#CCC if
        if (a + 8 < b) {
            unsigned int x = a, y = b;
            while (x < 200 && y < 200) {
                if (x == y) ++mine;
                if (x <= y) x += 1 + (a & 3); else y += 1 + (b & 7);
            }
        }
    }
    found[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}
