// HANGS: O3 G
// ENDS: 0 128 0
// how a lock is tried is given to a function, which calls it by its address
__device__ __noinline__ bool by_swap(int *lock) { return atomicCAS(lock, 0, 1) == 0; }
__device__ __noinline__ void take(int *lock, bool (*attempt)(int *)) { while (!attempt(lock)) {} }
extern "C" __global__ void k(int *m, int n) {
    take(m, by_swap);
    __threadfence();
    ((volatile int *)m)[1]++;
    __threadfence();
    atomicExch(m, 0);
}
