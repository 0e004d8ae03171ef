// A lock that is a float: zero is free, and it is given back by adding minus one.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    float *lock = reinterpret_cast<float *>(data);
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, __float_as_int(1.0f)) != 0)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicAdd(lock, -1.0f);
    }
}
