// The path copies its item to the thread's own row of shared memory asynchronously and waits for it there.
//
// RUN: ccc --block 96
// REFUSED: line 12: the marked path has `cp.async.cg.shared.global`, which is part of an asynchronous copy: the thread that starts a copy must wait for it
extern "C" __global__ void staged(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int4 row[96];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            unsigned to = (unsigned)__cvta_generic_to_shared(&row[threadIdx.x]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(data + 4 * i) : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
            int4 v = row[threadIdx.x];
            int h = v.x;
            for (int j = 0; j < 9; ++j) h = h * 33 + v.y + v.z * j + v.w;
            out[i] = h;
        }
    }
}
