// Append at the end of a list: CAS of the end's null link; the loser goes on to the node that another has linked; the
// list ends.

// nothing: app
extern "C" __global__ void app(int *next, int *hint)
{
    int me = threadIdx.x + 1, p = *(volatile int *)hint, n;
    while ((n = atomicCAS(&next[p], 0, me)) != 0) p = n;
    *(volatile int *)hint = me;
}
