// The directives stand where they cannot be meant: a loop lies between them, the path is always taken, the loop is in a function
// of its own, what a path in another one computes is used behind it.
//
// RUN: ccc --block 64
// REFUSED: line 16: in a loop inside the marked loop
// REFUSED: line 25: taken in every iteration
// REFUSED: line 37: in the function `outer`, which was not inlined
// REFUSED: line 51: is used after it
// PTXAS: sm_90

extern "C" __global__ void inner_loop(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        for (int k = 0; k < key[i]; ++k) {
#CCC if
            if ((key[k] & 7) == 0) atomicAdd(&out[i], k);
        }
    }
}

extern "C" __global__ void always(int n, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (i < n) atomicAdd(&out[i], i);
    }
}

__device__ __noinline__ void outer(int n, const int *key, int *out);
extern "C" __global__ void caller(int n, const int *key, int *out) {
    outer(n, key, out);
}
__device__ __noinline__ void outer(int n, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) atomicAdd(&out[i], i);
    }
}

extern "C" __global__ void path_in_path(int n, const int *key, const int *other, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = i;
#CCC if
            if ((other[i] & 7) == 1) {
                for (int k = 0; k < 20; ++k) x = x * 5 + k;
            }
            out[i] = x;
        }
    }
}
