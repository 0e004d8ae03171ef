// Philosophers who take the left fork, try the right one once, and put the left one back when it is taken.
// ENDS: 4 4 4 4

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    int *fork = data + 128;
    int left = me, right = (me + 1) & 127;
    for (int meals = 0; meals < n;) {
        if (atomicCAS(&fork[left], 0, 1) != 0)
            continue;
        if (atomicCAS(&fork[right], 0, 1) != 0) {
            atomicExch(&fork[left], 0);
            __nanosleep(me * 2);
            continue;
        }
        atomicAdd(&data[me], 1);
        atomicExch(&fork[right], 0);
        atomicExch(&fork[left], 0);
        ++meals;
    }
}
