// A binary heap under a lock; the numbers come out in order afterwards.
// HANGS: O3 G
// ENDS: 0 1 2 3 4 5 6 7

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int lock;
    __shared__ volatile int size, heap[64];
    if (threadIdx.x == 0) {
        lock = 0;
        size = 0;
    }
    __syncthreads();
    int key = (threadIdx.x * 45) & 63;
    while (atomicExch(&lock, 1) != 0)
        ;
    __threadfence_block();
    int at = size;
    size = at + 1;
    while (at > 0 && heap[(at - 1) / 2] > key) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = key;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        for (int out = 0; out < 2 * n; ++out) {
            data[out] = heap[0];
            int last = heap[size - 1], hole = 0;
            size = size - 1;
            for (;;) {
                int next = 2 * hole + 1;
                if (next >= size)
                    break;
                if (next + 1 < size && heap[next + 1] < heap[next])
                    ++next;
                if (heap[next] >= last)
                    break;
                heap[hole] = heap[next];
                hole = next;
            }
            heap[hole] = last;
        }
    }
}
