// A turn counter that wraps: atomicInc passes the turn on, lanes wait by atomicInc's neighbour atomicMax of zero.
// HANGS: O3 G
// ENDS: 0 0 192
extern "C" __global__ void k(int *data, int n) {
    unsigned *turn = (unsigned *)data + blockIdx.x;
    for (int r = 0; r < 3; ++r) {
        while (atomicMax(turn, 0u) != threadIdx.x) {}
        if (blockIdx.x == 0) atomicAdd(&data[2], n - 3);
        atomicInc(turn, 63);
    }
}
