// Each lane is a machine of six states in one switch; state 3 waits for the left neighbour to reach state 5.
// HANGS: O3:100
// ENDS: 10 11 12 13
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int state[64];
    int i = threadIdx.x;
    state[i] = 0;
    __syncthreads();
    int s = 0, v = 0, rounds = 0;
    while (s != 5) {
        switch (s) {
            case 0: v = i; s = 1; break;
            case 1: v += n; s = 2; break;
            case 2: s = i == 0 ? 4 : 3; break;
            case 3: if (state[i - 1] == 5) s = 4; else ++rounds; break;
            case 4: v += 6; s = 5; break;
        }
        state[i] = s;
    }
    data[blockIdx.x * 64 + i] = v;
}
