// A lock behind an abstract class, taken and given back by virtual methods.
// HANGS: O3 G
// NO POINTS: G
// ENDS: 0 128

struct Lock {
    __device__ virtual void take() = 0;
    __device__ virtual void give() = 0;
};

struct GlobalLock : Lock {
    int *word;
    __device__ explicit GlobalLock(int *w) : word(w) { }
    __device__ void take() override { while (atomicCAS(word, 0, 1) != 0) { } __threadfence(); }
    __device__ void give() override { __threadfence(); atomicExch(word, 0); }
};

extern "C" __global__ void k(int *data, int n)
{
    GlobalLock lock(data);
    Lock &any = lock;
    volatile int *total = data + 1;
    any.take();
    *total = *total + 1;
    any.give();
}
