// A sorted linked list under one lock; each thread puts in its number, and the list is walked at the end.
// HANGS: O3 G
// ENDS: 0 0 1 2 3 4 5 6

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int lock;
    __shared__ volatile int head, next[64];
    int me = threadIdx.x;
    int key = (me * 37) & 63;
    if (me == 0) {
        lock = 0;
        head = -1;
    }
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence_block();
    int before = -1, at = head;
    while (at >= 0 && at < key) {
        before = at;
        at = next[at];
    }
    next[key] = at;
    if (before < 0)
        head = key;
    else
        next[before] = key;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (me == 0 && blockIdx.x == 0) {
        int place = 1;
        for (int node = head; node >= 0; node = next[node])
            data[place++] = node + n - 4;
    }
}
