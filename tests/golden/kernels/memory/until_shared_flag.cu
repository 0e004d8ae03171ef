// A block repeats the marked loop until no thread has work, which a flag in shared memory says, between barriers.
//
// RUN: ccc --block 96
// REFUSED: line 23: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.shared.u32)
extern "C" __global__ void relax(int n, int *__restrict__ k, int *__restrict__ out) {
    __shared__ int again;
    do {
        __syncthreads();
        if (threadIdx.x == 0) again = 0;
        __syncthreads();
//#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
            if (k[i] > 0) {
                int x = k[i];
                for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
                out[i] += x;
                k[i] -= 1;
                if (k[i] > 0) again = 1;
            }
        }
        __syncthreads();
    } while (again);
}
