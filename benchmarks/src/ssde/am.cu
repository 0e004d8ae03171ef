// AM: the largest element of an array, under a lock that is taken only for an element that is larger than what was
// found so far (after the example of OpenMP's critical sections). Coarse-grained, there is one maximum; fine-grained,
// one for every `length` elements.

// As one writes it for threads of a CPU.
extern "C" __global__ void am(int elements, int length, const int *element, volatile int *maximum, int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
        int at = i / length;
        int value = element[i];
        if (value > maximum[at]) {
            while (atomicCAS(&lock[at], 0, 1) != 0) {
            }
            __threadfence();
            if (value > maximum[at]) {
                maximum[at] = value;
            }
            __threadfence();
            atomicExch(&lock[at], 0);
        }
    }
}

// By hand for a SIMT stack: who does not get the lock looks again whether it still wants it.
extern "C" __global__ void am_simt(int elements, int length, const int *element, volatile int *maximum, int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
        int at = i / length;
        int value = element[i];
        int wants = value > maximum[at];
        while (wants) {
            if (atomicCAS(&lock[at], 0, 1) == 0) {
                __threadfence();
                if (value > maximum[at]) {
                    maximum[at] = value;
                }
                __threadfence();
                atomicExch(&lock[at], 0);
            }
            wants = value > maximum[at];
        }
    }
}
