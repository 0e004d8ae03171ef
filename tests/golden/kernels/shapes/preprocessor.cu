// Conditional compilation, line continuations, comments and string literals with directives around and in marked code.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
#define N(x) \
    ((x) \
     & 1)
__device__ const char* text = R"(
#CCC for
#CCC if
)";
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    /*
#CCC for
    */
#  CCC   for   // with a comment
    // and a comment between
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if /* comment */
#if 0
        if (v & 2)
#else
        if /* here */ (N(v)) // "{"
#endif
        { char c = '{'; out[i] = c + v; /* } */
#ifdef NOTHING
        }
#endif
        out[i] += ")"[0]; }
    }
}
