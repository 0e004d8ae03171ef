// A structure of pointers by value, indexed by the element; the branch writes through one, the rest reads through another.
//
// RUN: ccc --block 96
// REFUSED: line 16: the marked path uses local memory, which another lane cannot reach

struct Planes { int *plane[4]; };

extern "C" __global__ void pointers_in_parameter(int n, const int *__restrict__ in, Planes p, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v > 20) {
            int h = i;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            p.plane[v & 3][i] = h;
        }
        out[i] = p.plane[v & 1][i] + p.plane[2][i];
    }
}
