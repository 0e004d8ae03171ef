// Neighbouring lanes swap their numbers: the first offers its own in a mailbox, the second takes it and answers.
// HANGS: O3 G
// ENDS: 2 1 4 3 6 5
extern "C" __global__ void k(int *data, int n) {
    __shared__ int box[64];
    int i = threadIdx.x, pair = i / 2, mine = i + 1;
    box[i] = 0;
    __syncthreads();
    int other = atomicCAS(&box[pair], 0, mine);
    if (other == 0) {
        do other = atomicAdd(&box[32 + pair], 0); while (other == 0);
    } else {
        atomicAdd(&box[32 + pair], mine);
    }
    data[blockIdx.x * 64 + i] = other + n - 4;
}
