// A place that is a thread's alone, the same one in all of its iterations: what is left there is what the last one leaves, also where atomics and volatile accesses write it.
//
// RUN: ccc --block 64
// REFUSED: line 17: the store to `last` at line 17 of the marked path may meet the store to `last` at line 17 of a later iteration
// REFUSED: line 27: the store to `last` at line 27 of the marked path may meet the store to `last` at line 27
// REFUSED: line 37: the atomic on `last` at line 37 of the marked path may meet the atomic on `last` at line 37
// REFUSED: line 48: the atomic on `count` at line 48 of the marked path may meet the atomic on `count` at line 48
// REFUSED: line 59: the atomic on `bits` at line 58 of the marked path may meet the atomic on `bits` at line 59
// REFUSED: line 67: the atomic on `sum` at line 69 of the marked path may meet the load of `sum` at line 67
// PTXAS: sm_90

extern "C" __global__ void stored(int n, const int *__restrict__ key, int *__restrict__ last) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (key[i] % 3 == 0) last[t] = key[i] * i;
    }
}

extern "C" __global__ void stored_volatile(int n, const int *__restrict__ key, volatile int *__restrict__ last) {
    volatile int *own = last + threadIdx.x + 1000 * blockIdx.x;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) *own = k * i;
    }
}

extern "C" __global__ void exchanged(int n, const int *__restrict__ key, int *__restrict__ last) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) atomicExch(&last[t], k * i);
    }
}

extern "C" __global__ void counted(int n, const int *__restrict__ key, int *__restrict__ out) {
    __shared__ int count[64];
    count[threadIdx.x] = 0;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) out[i] = atomicAdd(&count[threadIdx.x], k);
    }
}

extern "C" __global__ void two_operations(int n, const int *__restrict__ key, int *__restrict__ bits) {
    int t = threadIdx.x;
#CCC for
    for (int i = t; i < n; i += blockDim.x) {
        int k = key[i];
#CCC if
        if (k % 3 == 0) atomicXor(&bits[t], k);
        else atomicAnd(&bits[t], k);
    }
}

extern "C" __global__ void seen_by_all(int n, const int *__restrict__ key, int *__restrict__ out, int *__restrict__ sum) {
    int t = threadIdx.x;
#CCC for
    for (int i = t; i < n; i += blockDim.x) {
        out[i] = ((volatile int *)sum)[t] + key[i];
#CCC if
        if (key[i] % 3 == 0) atomicAdd(&sum[t], key[i]);
    }
}
