// TL: every thread takes a lock again and again (after the test of locks in J. Bull's OpenMP microbenchmarks, 1999).
// Coarse-grained, there is one lock for all threads; fine-grained, one for every few neighbours.

// As one writes it for threads of a CPU.
extern "C" __global__ void tl(int rounds, int sharers, volatile int *counter, int *lock)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) / sharers;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        while (atomicCAS(&lock[at], 0, 1) != 0) {
        }
        __threadfence();
        counter[at]++;
        __threadfence();
        atomicExch(&lock[at], 0);
    }
}

// By hand for a SIMT stack: a lane that got the lock gives it back before anybody tries again.
extern "C" __global__ void tl_simt(int rounds, int sharers, volatile int *counter, int *lock)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) / sharers;
    int round = 0;
    while (round < rounds) {
        if (atomicCAS(&lock[at], 0, 1) == 0) {
            __threadfence();
            counter[at]++;
            __threadfence();
            atomicExch(&lock[at], 0);
            round++;
        }
    }
}
