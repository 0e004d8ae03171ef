// The smallest kernels for the ways in which a loop can wait for ever on a SIMT stack (the paper's Figure 4, as its
// text tells them): the write that would free the loop comes behind it; it is on the other side of a branch; it is on
// one of several ways that lead on from the loop; or it takes further iterations of a loop around.

// Behind: the paper's Figure 1. The lock is given back in a straight line behind the loop.
extern "C" __global__ void behind(int *lock, volatile int *counter)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    counter[0]++;
    __threadfence();
    atomicExch(lock, 0);
}

// The paper's Figure 3.
extern "C" __global__ void behind_simt(int *lock, volatile int *counter)
{
    int waits = 1;
    while (waits) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            counter[0]++;
            __threadfence();
            atomicExch(lock, 0);
            waits = 0;
        }
    }
}

// Parallel: both sides of a branch wait for each other once, so whichever a stack runs first never ends.
extern "C" __global__ void parallel(volatile int *ping, volatile int *pong, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = i / 2;
    if (i % 2 == 0) {
        ping[pair] = 3 * pair + 1;
        while (pong[pair] == 0) {
        }
        out[i] = pong[pair];
    } else {
        while (ping[pair] == 0) {
        }
        out[i] = ping[pair];
        pong[pair] = out[i] + 1;
    }
}

// One loop in which each side looks once per iteration.
extern "C" __global__ void parallel_simt(volatile int *ping, volatile int *pong, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = i / 2;
    if (i % 2 == 0) {
        ping[pair] = 3 * pair + 1;
    }
    int waits = 1;
    while (waits) {
        int found = i % 2 == 0 ? pong[pair] : ping[pair];
        if (found != 0) {
            out[i] = found;
            if (i % 2 != 0) {
                pong[pair] = found + 1;
            }
            waits = 0;
        }
    }
}

// Branches: two ways lead on from the loop, and both give the lock back.
extern "C" __global__ void branches(int *lock, volatile int *small, volatile int *large, const int *value)
{
    int mine = value[blockIdx.x * blockDim.x + threadIdx.x];
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    if (mine < 100) {
        small[0] += mine;
        __threadfence();
        atomicExch(lock, 0);
    } else {
        large[0]++;
        large[1] = max(large[1], mine);
        __threadfence();
        atomicExch(lock, 0);
    }
}

// As Figure 3.
extern "C" __global__ void branches_simt(int *lock, volatile int *small, volatile int *large, const int *value)
{
    int mine = value[blockIdx.x * blockDim.x + threadIdx.x];
    int waits = 1;
    while (waits) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            if (mine < 100) {
                small[0] += mine;
            } else {
                large[0]++;
                large[1] = max(large[1], mine);
            }
            __threadfence();
            atomicExch(lock, 0);
            waits = 0;
        }
    }
}

// Around: a loop within a loop, as in the sort of Barnes-Hut. Sums of all values up to one, by threads that each have
// `share` values in a row: the first of a share waits for the last of the share before, to which its thread comes in a
// later iteration only. Values are positive, a sum is zero until it is known.
extern "C" __global__ void around(int share, const int *value, volatile int *sum)
{
    int first = share * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll 1
    for (int i = first; i < first + share; i++) {
        int before = 0;
        if (i > 0) {
            while ((before = sum[i - 1]) == 0) {
            }
        }
        sum[i] = before + value[i];
    }
}

// One loop: a sum that cannot be known yet is asked for again.
extern "C" __global__ void around_simt(int share, const int *value, volatile int *sum)
{
    int first = share * (blockIdx.x * blockDim.x + threadIdx.x);
    int i = first;
    while (i < first + share) {
        int before = i > 0 ? sum[i - 1] : 0;
        if (i == 0 || before != 0) {
            sum[i] = before + value[i];
            i++;
        }
    }
}
