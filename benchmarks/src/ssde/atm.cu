// ATM: transfers between accounts, with a lock for each account (Fung and others, MICRO 2011). Locks are taken in the
// order of the accounts, so that no circle of threads waits for one another.

struct Transfer {
    int from;
    int to;
    int amount;
};

// As one writes it for threads of a CPU. On a SIMT stack a lane that has a lock waits behind the loop for lanes that
// want it; and one that waits for its second lock keeps others of the warp from giving that one back.
extern "C" __global__ void atm(int transfers, const Transfer *transfer, volatile int *balance, int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers; i += gridDim.x * blockDim.x) {
        Transfer t = transfer[i];
        int first = min(t.from, t.to);
        int second = max(t.from, t.to);
        while (atomicCAS(&lock[first], 0, 1) != 0) {
        }
        while (atomicCAS(&lock[second], 0, 1) != 0) {
        }
        __threadfence();
        balance[t.from] -= t.amount;
        balance[t.to] += t.amount;
        __threadfence();
        atomicExch(&lock[second], 0);
        atomicExch(&lock[first], 0);
    }
}

// By hand for a SIMT stack: both locks are tried and given back within one iteration. Of the lanes that have their
// first lock, the one whose second account is the last gets that too, so every iteration of a warp does a transfer
// unless other warps are in its way.
extern "C" __global__ void atm_simt(int transfers, const Transfer *transfer, volatile int *balance, int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers; i += gridDim.x * blockDim.x) {
        Transfer t = transfer[i];
        int first = min(t.from, t.to);
        int second = max(t.from, t.to);
        int waits = 1;
        while (waits) {
            if (atomicCAS(&lock[first], 0, 1) == 0) {
                if (atomicCAS(&lock[second], 0, 1) == 0) {
                    __threadfence();
                    balance[t.from] -= t.amount;
                    balance[t.to] += t.amount;
                    __threadfence();
                    atomicExch(&lock[second], 0);
                    waits = 0;
                }
                atomicExch(&lock[first], 0);
            }
        }
    }
}
