// What follows is a chain: it reads what the path wrote into a second array, then that into a third, and then overwrites the second.
//
// RUN: ccc --block 96
// REFUSED: line 14: a value that the marked path computes (register `%r39`) is used after it
extern "C" __global__ void chain(int n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ b, int *__restrict__ c, int *__restrict__ d) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i] = h;
        }
        b[i] = a[i] + 1;
        c[i] = b[i] * 2;
        if (c[i] & 2) d[i] = c[i] + 5;
        b[i] = -1;
    }
}
