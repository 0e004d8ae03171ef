// Anderson's lock: each thread spins on its own slot of an array, and the holder opens the next slot.
// HANGS: O3 G
// ENDS: 512 512 0

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    volatile int *turn = data + 64;
    for (int i = 0; i < n; ++i) {
        int place = atomicAdd(&data[0], 1);
        int slot = place & 127, round = place >> 7;
        if (slot == 0) {
            while (turn[0] != (round == 0 ? 0 : round)) {
            }
        } else {
            while (turn[slot] != round + 1) {
            }
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        turn[(slot + 1) & 127] = round + 1;
    }
}
