// The kernel's own shared memory leaves too little for the stack of a block of unknown size; told the size, it fits.
//
// RUN: ccc
// REFUSED: line 15: 2048 bytes are left
// PTXAS: sm_90

extern "C" __global__ void large(int n, const int *key, int *out) {
    __shared__ int table[11776];
    for (int k = threadIdx.x; k < 11776; k += blockDim.x) table[k] = k * n;
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (key[i] < 0) continue;
#CCC if
        if ((key[i] & 7) == 0) out[i] = table[i * 7 % 11776];
    }
}
