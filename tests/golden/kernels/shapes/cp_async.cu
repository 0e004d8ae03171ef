// The path copies asynchronously to shared memory; the rest waits for the copies of the thread and reads.
//
// RUN: ccc --block 96
// REFUSED: line 14: the marked path has `cp.async.ca.shared.global`, which is part of an asynchronous copy: the thread that starts a copy must wait for it
extern "C" __global__ void k(int n, const int* __restrict__ kind, const int* __restrict__ a, int* __restrict__ out) {
    __shared__ int s[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = -i;
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared(s + i)), "l"(__cvta_generic_to_global(a + i)) : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        out[i] = s[i] * 3;
    }
}
