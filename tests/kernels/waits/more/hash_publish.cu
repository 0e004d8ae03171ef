// A hash table whose empty slot is first reserved, then filled and published; others wait until they can read the key.
// HANGS: O3 G
// ENDS: 0 0 0 0 8 8 8 8

extern "C" __global__ void k(int *data, int n)
{
    int *state = data + 64;
    volatile int *keys = data + 96;
    int key = threadIdx.x & 15;
    int slot = (key * 3) & 31;
    for (;;) {
        int seen = atomicCAS(&state[slot], 0, 1);
        if (seen == 0) {
            keys[slot] = key;
            __threadfence();
            atomicExch(&state[slot], 2);
        } else {
            while (atomicAdd(&state[slot], 0) != 2)
                ;
            __threadfence();
        }
        if (keys[slot] == key)
            break;
        slot = (slot + 1) & 31;
    }
    atomicAdd(&data[n + key], 1);
}
