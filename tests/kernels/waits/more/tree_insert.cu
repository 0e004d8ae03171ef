// A binary search tree with a lock in each pointer: a thread walks down, locks the empty pointer and hangs its node there.
// HANGS: O3 G
// ENDS: 64 64 0

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int child[130];
    for (int i = threadIdx.x; i < 130; i += 64)
        child[i] = -1;
    __syncthreads();
    int me = threadIdx.x, key = (me * 29 + 7) & 63;
    int *link = &child[128];
    for (;;) {
        int node = atomicAdd(link, 0);
        if (node == -2)
            continue;
        if (node >= 0) {
            link = &child[2 * node + (key > node)];
            continue;
        }
        if (atomicCAS(link, -1, -2) == -1) {
            atomicAdd(&data[blockIdx.x], 1);
            break;
        }
    }
    __threadfence_block();
    atomicExch(link, key);
    __syncthreads();
    int found = 0;
    for (int node = child[128]; node >= 0 && !found; node = child[2 * node + (key > node)])
        found = node == key;
    if (!found)
        atomicAdd(&data[2], n);
}
