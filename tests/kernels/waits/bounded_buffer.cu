// A ring of four places under a lock: even threads put numbers in, odd threads take them out, with waiting while full or empty.
// HANGS: O3 G
// ENDS: 0 64 64 4160

__device__ int places[4];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *ring = data;
    volatile int *place = places;
    bool done = n == 0;
    while (!done) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        int filled = ring[1] - ring[2];
        if (me % 2 == 0 && filled < 4) {
            place[ring[1] & 3] = me / 2 + 1;
            ring[1] = ring[1] + 1;
            done = true;
        } else if (me % 2 == 1 && filled > 0) {
            ring[3] = ring[3] + 2 * place[ring[2] & 3];
            ring[2] = ring[2] + 1;
            done = true;
        }
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
