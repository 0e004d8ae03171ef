// An account is locked around the branch, whose path adds to its balance, and unlocked behind it.
//
// RUN: ccc --block 64
// REFUSED: line 11: a loop with the atomic on `lock` at line 11 waits for the atomic on `lock` at line 25 of the marked path, which would run later
extern "C" __global__ void accounts(int n, const int *__restrict__ who, int *lock, volatile int *balance, const int *__restrict__ amount) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int w = who[i];
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock[w], 0, 1) == 0) {
                __threadfence();
                balance[w] = balance[w] + 1;
                __threadfence();
                atomicExch(&lock[w], 0);
                done = true;
            }
        }
//#CCC if
        if (amount[i] > 5) {
            int h = amount[i];
            for (int j = 0; j < 9; ++j) h = (h * 33 + (h >> 5)) & 255;
            done = false;
            while (!done) {
                if (atomicCAS(&lock[w], 0, 1) == 0) {
                    __threadfence();
                    balance[w] = balance[w] + h;
                    __threadfence();
                    atomicExch(&lock[w], 0);
                    done = true;
                }
            }
        }
    }
}
