// Reasons that are what is in the way, and not what it looks like at first: a way out of the kernel from a step, a function called through a pointer, an
// asynchronous copy.
//
// RUN: ccc --block 64
// REFUSED: line 17: a step leaves the marked loop (a `return` or `goto`, or a `break` of both loops)
// REFUSED: line 28: calls a function through a pointer
// REFUSED: line 39: part of an asynchronous copy
// PTXAS: sm_90

extern "C" __global__ void returns(const int *first, const int *in, int *out, int n) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC while
        for (int step = first[i]; step < first[i + 1]; ++step) {
            int word = in[step];

            if (word == 77) return;
            atomicAdd(&out[word & 63], step);
        }
    }
}

extern "C" __global__ void pointer(int (*const *functions)(int), const int *in, int *out, int n) {
    int (*function)(int) = functions[0];
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((in[i] & 7) == 0) out[i] = function(i);
    }
}

extern "C" __global__ void copies(const int *in, int *out, int n) {
    __shared__ int words[64];
    unsigned place = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((in[i] & 7) == 0) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(in + i) : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
            out[i] = words[threadIdx.x];
        }
    }
}
