// A function that calls itself once, last: a walk down a binary tree in an array.
//
// RUN: ccc --block 96
// LAUNCH: recursive_descent 2 96 i32:300 i32[300]=below:1000:1 i32[300]=0 i32[1024]=0
// LAUNCH: recursive_descent 1 33 i32:77 i32[300]=below:1000:2 i32[300]=0 i32[1024]=0
// EXPECT: same-memory

__device__ void descend(int node, int key, int i, int *out, int *visits) {
    atomicAdd(&visits[node], 1);
    if (node >= 512 || (key & 15) == 7) {
        out[i] = node;
        return;
    }
    descend(2 * node + (key & 1), key >> 1, i, out, visits);
}

extern "C" __global__ void recursive_descent(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ visits) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC recursive
        descend(1, in[i], i, out, visits);
    }
}
