// Each thread has lists of its own number; the marked loop over a list lies in an unmarked loop over lists.
//
// RUN: ccc --block 96
// REFUSED: line 9: is under divergent control flow
extern "C" __global__ void lists(int n, const unsigned char *__restrict__ in, unsigned int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int count = in[t % 1000] & 7;
    for (int l = 0; l < count; ++l) {
        int length = in[(t + l) % 1000] & 15;
        if (length < 3) continue;
        //#CCC for
        for (int k = 0; k < length; ++k) {
            unsigned char v = in[(t * 7 + k * l) % 1000];
            //#CCC if
            if (v < 60) {
                unsigned int x = v;
                for (int r = 0; r < 4; ++r) x = x * 31 + l;
                atomicAdd(&out[x % 2000], 1u + k);
            }
        }
    }
}
