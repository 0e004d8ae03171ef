// One marked condition is always true and one never, which only the compiler knows.
//
// RUN: ccc --block 96 --all
// REFUSED: line 15: no branch skips the marked path: it is taken in every iteration

template <int Mode> __device__ void body(int i, const int *in, int *out) {
    out[i] = in[i] + Mode;
}

extern "C" __global__ void constant_conditions(int n, const int *__restrict__ in, int *__restrict__ out) {
    constexpr int mode = 3;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (mode == 3) body<mode>(i, in, out);
//#CCC if
        if (in[i] > 35) {
            for (int k = 0; k < 5; ++k) out[i] = out[i] * 3 + k;
        }
    }
}
