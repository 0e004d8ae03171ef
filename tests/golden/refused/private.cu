// Memory and code that only the lane itself can use: an array of the thread, and a function that was not inlined.
//
// RUN: ccc --block 64
// REFUSED: line 13: local memory
// REFUSED: line 26: calls `unknown`
// PTXAS: sm_90

extern "C" __global__ void array(int n, const int *key, int *out) {
    int counts[16] = {0};
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) counts[key[i] >> 4 & 15] += i;
    }
    for (int k = 0; k < 16; ++k) out[threadIdx.x * 16 + k] = counts[k];
}

__device__ __noinline__ int unknown(int x, int y) {
    return x % (y | 1) ^ 77;
}

extern "C" __global__ void call(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) out[i] = unknown(i, key[i]);
    }
}
