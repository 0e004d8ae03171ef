// Each thread takes a lock to count itself. On a machine with a reconvergence stack this hangs: the lane that has the
// lock waits, in front of the line that frees it, for the lanes of its warp that still try to take it.
__device__ int lock;

extern "C" __global__ void count(int *total)
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int *)total += 1;
    __threadfence();
    atomicExch(&lock, 0);
}
