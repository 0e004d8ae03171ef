// A scan by decoupled look-back with one lane per tile: an aggregate is added, a prefix ends the walk.
// HANGS: O3 G
// ENDS: 5 11 18 26 35
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *status = data + 128;   // value * 4 + 1: aggregate, + 2: prefix
    int mine = n + 1 + t, sum = mine;
    if (t == 0) {
        status[0] = mine * 4 + 2;
    } else {
        status[t] = mine * 4 + 1;
        int j = t - 1;
        while (true) {
            int s = status[j];
            if ((s & 3) == 0) continue;
            sum += s >> 2;
            if ((s & 3) == 2) break;
            --j;
        }
        status[t] = sum * 4 + 2;
    }
    data[t] = sum;
}
