// Instructions of a small machine: a marked case that falls through to the next one.
//
// RUN: ccc --block 96 --lower-occupancy
// REFUSED: line 17: which would run later, and cannot run with it
extern "C" __global__ void machine(int n, const unsigned char *__restrict__ code, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = i;
        switch (code[i] % 6) {
        //#CCC case
        case 0: {
            for (int k = 0; k < 6; ++k) x = x * 3 + k;
            out[i] = x;
        }
        //#CCC case
        case 1: {
            atomicAdd(&out[i], 7u);
            break;
        }
        case 2: out[i] = 2; break;
        default: out[i] = 1;
        }
    }
}
