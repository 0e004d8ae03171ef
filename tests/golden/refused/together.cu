// Instructions that lanes or threads must execute together: a barrier, a shuffle, a vote.
//
// RUN: ccc --block 64
// REFUSED: line 16: must execute together
// REFUSED: line 27: must execute together
// REFUSED: line 37: must execute together
// PTXAS: sm_90

extern "C" __global__ void barrier(int n, const int *key, int *out) {
    __shared__ int last;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i / 64] == 0) {
            last = i;
            __syncthreads();
            out[i] = last;
        }
    }
}

extern "C" __global__ void shuffle(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i / 64] == 0) {
            out[i] = __shfl_xor_sync(~0u, i, 1);
        }
    }
}

extern "C" __global__ void vote(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i / 64] == 0) {
            out[i] = __ballot_sync(~0u, i & 2);
        }
    }
}
