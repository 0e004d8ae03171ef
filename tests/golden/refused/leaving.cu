// The path leaves the loop: whether the loop goes on would be known only when the path has run.
//
// RUN: ccc --block 64
// REFUSED: line 14: leaves the loop
// REFUSED: line 26: leaves the loop
// PTXAS: sm_90

extern "C" __global__ void by_break(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            out[i] = 1;
            if (key[i] & 8) break;
            out[i + n] = 1;
        }
    }
}

extern "C" __global__ void by_return(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            out[i] = 1;
            if (key[i] & 8) return;
            out[i + n] = 1;
        }
    }
    out[threadIdx.x] = 2;
}
