extern "C" __global__ void count(int *lock, volatile int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(lock, 0);
}
