// Transfers between accounts: the two locks are taken in the order of their numbers.
// HANGS: O3 G
// ENDS: 123 124 132 133

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *account = data;
    int *lock = data + 128;
    if (me < 4) {
        while (atomicCAS(&lock[me], 0, 1) != 0)
            ;
        __threadfence();
        account[me] = account[me] + 128;
        __threadfence();
        atomicExch(&lock[me], 0);
    }
    for (int i = 0; i < n; ++i) {
        int from = (me + i) & 3, to = (from + 1 + (me & 1)) & 3;
        int low = min(from, to), high = max(from, to);
        while (atomicCAS(&lock[low], 0, 1) != 0)
            ;
        while (atomicCAS(&lock[high], 0, 1) != 0)
            ;
        __threadfence();
        int amount = (me + i) % 3;
        account[from] = account[from] - amount;
        account[to] = account[to] + amount;
        __threadfence();
        atomicExch(&lock[high], 0);
        atomicExch(&lock[low], 0);
    }
}
