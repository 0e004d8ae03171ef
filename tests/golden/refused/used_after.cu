// What the path computes is used behind it: a sum that the thread keeps, and a value that the iteration goes on with.
//
// RUN: ccc --block 64
// REFUSED: line 19: is used after it
// REFUSED: line 28: is used after it
// PTXAS: sm_90

extern "C" __global__ void sum(int n, const int *key, int *out) {
    int sum = 0;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            sum += x;
        }
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void next(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC if
        if ((x & 7) == 0) { for (int k = 0; k < x; ++k) x = x * 3 + k; }
        out[i] = x;
    }
}
