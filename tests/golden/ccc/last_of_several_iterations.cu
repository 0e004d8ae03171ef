// What is left at a place is what the last iteration has written there: where several iterations have the place in common, or where it is not plain that other threads do not, the report says
// that they are assumed not to write it twice. Where each iteration writes the same, or has a place of its own, there is nothing to say.
//
// RUN: ccc --block 64
// REPORT: by_remainder
// REPORT: assumes that the store to `last` at
// REPORT-SAME: never meet in two iterations
// REPORT: exchanged_by_quotient
// REPORT: assumes that the atomic on `last` at
// REPORT-SAME: never meet in two iterations
// REPORT: masked
// REPORT: assumes that the atomic on `last` at
// REPORT-SAME: never meet in two iterations
// REPORT: masked_volatile
// REPORT: assumes that the store to `last` at
// REPORT-SAME: never meet in two iterations
// REPORT: the_same_in_all
// REPORT-NOT: assumes
// PTXAS: sm_90

extern "C" __global__ void by_remainder(int n, const int *__restrict__ key, int *__restrict__ last) {
    int threads = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
#CCC if
        if (key[i] % 3 == 0) last[i % threads] = key[i] * i;
    }
}

extern "C" __global__ void exchanged_by_quotient(int n, const int *__restrict__ key, int *__restrict__ last) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) atomicExch(&last[i >> 9], k * i);
    }
}

extern "C" __global__ void masked(int n, const int *__restrict__ key, int *__restrict__ last) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) atomicExch(&last[t & 2047], k * i);
    }
}

extern "C" __global__ void masked_volatile(int n, const int *__restrict__ key, volatile int *__restrict__ last) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) last[t & 2047] = k * i;
    }
}

extern "C" __global__ void the_same_in_all(int n, const int *__restrict__ key, int *__restrict__ seen) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) seen[i % 100] = 1;
    }
}

extern "C" __global__ void row_and_column(int n, int width, const int *__restrict__ key, int *__restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) out[i % width * 512 + i / width] = k * i;
    }
}

extern "C" __global__ void scattered(int n, const int *__restrict__ key, const int *__restrict__ to, int *__restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) out[to[i]] = k * i;
    }
}
