// A readers-writer lock in one word: readers count up, a writer needs zero and sets minus one.
// HANGS: O3 G
// ENDS: 0 64 64 128

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *shared = data;
    for (int i = 0; i < n; ++i) {
        if (me % 8 == 0) {
            while (atomicCAS(&data[0], 0, -1) != 0) {
            }
            __threadfence();
            shared[1] = shared[1] + 1;
            shared[2] = shared[2] + 1;
            __threadfence();
            atomicExch(&data[0], 0);
        } else {
            int seen;
            do {
                seen = atomicAdd(&data[0], 0);
            } while (seen < 0 || atomicCAS(&data[0], seen, seen + 1) != seen);
            __threadfence();
            if (shared[1] != shared[2])
                atomicAdd(&data[4], 1);
            __threadfence();
            atomicSub(&data[0], 1);
        }
    }
    atomicAdd(&data[3], 1);
}
