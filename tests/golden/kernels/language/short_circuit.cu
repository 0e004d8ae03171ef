// A condition of many parts, some of which read memory only if the parts before say so.
//
// RUN: ccc --block 96
// LAUNCH: short_circuit 2 96 i32:1000 i32[1000]=below:1000:1 i32[1000]=below:1000:3 i32[1000]=0
// LAUNCH: short_circuit 1 33 i32:77 i32[1000]=below:1000:2 i32[1000]=below:1000:4 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void short_circuit(int n, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if ((a[i] < 300 && (b[a[i]] & 1 || a[b[i]] > 900)) || (i % 13 == 5 && b[a[b[i]]] < 500)) {
            int h = a[i];
            for (int k = 0; k < 9; ++k) h = a[(h + k) % 1000u] ^ b[i];
            out[i] = h;
        }
    }
}
