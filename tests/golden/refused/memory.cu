// What follows a path depends on it and cannot run with it: its value goes on to the next iteration, it is another marked path, it waits, or it is a barrier.
//
// RUN: ccc --block 64
// REFUSED: line 25: the load of `b` at line 25 depends on the store to `b` at line 24 of the marked path
// REFUSED: line 37: the load of `b` at line 37 depends on the store to `b` at line 35 of the marked path
// REFUSED: line 46: a loop with the load of `flag` at line 46 waits for the store to `flag` at line 45 of the marked path
// REFUSED: line 57: depends on the store to
// REFUSED: line 68: the store to `b` at line 67 of the marked path and the load of `b` at line 68 may meet
// PTXAS: sm_90

__device__ int work(int x) {
    for (int k = 0; k < 20; ++k) x = x * 1103515245 + (x >> 3);
    return x;
}

#define EACH for (int i = threadIdx.x; i < n; i += blockDim.x)

extern "C" __global__ void carried(int n, const int *key, int *b, int *out) {
    int next = 0;
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1)
            b[i] = i * i;
        next ^= b[i];
    }
    out[threadIdx.x] = next;
}

extern "C" __global__ void paths(int n, const int *key, int *b, int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] & 1)
            b[i] = i * i;
//#CCC if
        if (key[i] & 2) out[i] = b[i] * 3;
    }
}

extern "C" __global__ void waits(int n, const int *key, volatile int *flag, volatile int *out) {
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) { out[i] = i; __threadfence(); flag[i] = 1; }
        while (key[i] < 3 && flag[i & 63] == 0) ;
    }
}

extern "C" __global__ void barrier(int n, const int *key, int *b, int *out) {
    __shared__ int tile[64];
//#CCC for
    for (int i = 0; i < n; ++i) {
//#CCC if
        if (key[i * 64 + threadIdx.x] == 1)
            for (int k = 0; k < key[i]; ++k) tile[threadIdx.x] = work(tile[threadIdx.x]);
        __syncthreads();
        out[i * 64 + threadIdx.x] = 1;
    }
}

extern "C" __global__ void unknown_place(int n, const int *key, int *b, int *out) {
    int next = 0;
//#CCC for
    EACH {
//#CCC if
        if (key[i] == 1) b[i] = i * i;
        next ^= b[key[i]];
    }
    out[threadIdx.x] = next;
}
