// A call that the compiler moves from above the `if` to where its result is needed: the function has no effect, but what it does is not known from the call.
//
// RUN: ccc --block 64
// REFUSED: line 10: calls `square`, of which it is not known what it does

__device__ __noinline__ unsigned square(unsigned x) { return x * x + (x >> 3); }
extern "C" __global__ void above(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = in[i], q = square(v);
#CCC if
        if (v % 3 == 0) out[i] = q;
    }
}
