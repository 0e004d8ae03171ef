// The path starts an asynchronous copy of a table row to shared memory, and the code behind the branch waits and reads it.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path has `cp.async.cg.shared.global`, which is part of an asynchronous copy: the thread that starts a copy must wait for it
extern "C" __global__ void staged(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int4 row[96];
    row[threadIdx.x] = make_int4(0, 0, 0, 0);
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            unsigned to = (unsigned)__cvta_generic_to_shared(&row[threadIdx.x]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(data + 4 * i) : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        out[i] = k[i] > 5 ? row[threadIdx.x].w : -1;
    }
}
