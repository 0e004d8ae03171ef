// A lock that is given back inside the loop that takes it, with a flag that ends the loop.
// HANGS: O3:100
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&data[0], 0, 1) == 0) {
                __threadfence();
                *total = *total + 1;
                __threadfence();
                atomicExch(&data[0], 0);
                done = true;
            }
        }
    }
}
