// A lock class and a guard that takes it when it is made and gives it back when its scope ends.
// HANGS: O3 G
// ENDS: 0 512 256

template <typename Word>
struct SpinLock {
    Word word;
    __device__ void lock() { while (atomicCAS(&word, Word(0), Word(1)) != Word(0)) { } __threadfence(); }
    __device__ void unlock() { __threadfence(); atomicExch(&word, Word(0)); }
};

template <typename Lock>
struct Guard {
    Lock &lock;
    __device__ explicit Guard(Lock &l) : lock(l) { lock.lock(); }
    __device__ ~Guard() { lock.unlock(); }
};

extern "C" __global__ void k(int *data, int n)
{
    auto *lock = reinterpret_cast<SpinLock<int> *>(data);
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        Guard<SpinLock<int>> guard(*lock);
        *total = *total + 1;
        if (i & 1)
            continue;
        volatile int *even = data + 2;
        *even = *even + 1;
    }
}
