// A recursive function with a value: the greatest common divisor.
//
// RUN: ccc --block 96
// LAUNCH: recursive_value 2 96 i32:300 i32[300]=below:1000:1 i32[300]=below:1000:3 i32[300]=0
// LAUNCH: recursive_value 1 33 i32:77 i32[300]=below:1000:2 i32[300]=below:1000:4 i32[300]=0
// EXPECT: same-memory

__device__ int divisor(int a, int b) {
    if (b == 0) return a;
    return divisor(b, a % b);
}

extern "C" __global__ void recursive_value(int n, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int g;
//#CCC recursive
        g = divisor(a[i] + 1, b[i]);
        out[i] = g;
    }
}
