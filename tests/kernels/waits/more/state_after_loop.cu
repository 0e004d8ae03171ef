// As a switch of states, but a lane's state is published only behind the loop.
// HANGS: O3 G
// ENDS: 4 3 2 1 4 3 2 1
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int over[65];
    int i = threadIdx.x, s = i % 4, path = 0;
    over[i] = 0;
    if (i == 0) over[64] = 1;
    __syncthreads();
    bool go = true;
    while (go) {
        switch (s) {
            case 0: s = 1; ++path; break;
            case 1: s = 2; ++path; break;
            case 2: s = 3; ++path; break;
            default: if (over[i + 1]) { go = false; ++path; }
        }
    }
    over[i] = n;
    data[blockIdx.x * 64 + i] = path;
}
