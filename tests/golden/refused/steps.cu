// Steps that cannot be: a loop that the compiler undoes, a recursion that it leaves, a path in a loop that is run in steps, a loop in an
// unmarked one, a result that is used behind the task.
//
// RUN: ccc --block 64
// REFUSED: line 17: no loop in the PTX
// REFUSED: line 34: made no loop of the recursion
// REFUSED: line 45: inside the marked path of line 43
// REFUSED: line 57: in a loop inside the marked loop
// REFUSED: line 76: is used after it
// PTXAS: sm_90

extern "C" __global__ void once(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC while
        do {
            x = x * 3;
            atomicAdd(&out[i], x);
        } while (false);
    }
}

__device__ int fibonacci(int n, int *calls) {
    atomicAdd(calls, 1);
    if (n < 2) return n;
    return fibonacci(n - 1, calls) + fibonacci(n - 2, calls);
}

extern "C" __global__ void twice(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC recursive
        out[i] = fibonacci(key[i], out);
    }
}

extern "C" __global__ void path_in_steps(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC while
        while (x > 0) { x = x * 5 / 7 - 1; atomicAdd(&out[0], x); }
#CCC if
        if (x < -1) {
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            atomicAdd(&out[1], x);
        }
    }
}

extern "C" __global__ void deeper(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        for (int k = 0; k < key[i]; ++k) {
#CCC while
            for (int x = key[k]; x > 0; x = x * 3 / 4 - 1) {
                atomicAdd(&out[x], k);
            }
        }
    }
}

extern "C" __global__ void result(int n, const int *key, int *out) {
    int total = 0;
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int x = key[i];
#CCC while
        while (x > 0) {
            x = x * 3 / 4 - 1;
            total += x;
        }
        out[i] = x;
    }
    atomicAdd(&out[0], total);
}
