// A marked case runs into the next label, which is not marked.
//
// RUN: ccc --block 96
// REFUSED: line 17: a value that the marked path computes

extern "C" __global__ void switch_case_falls_on(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ kinds) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        switch (in[i]) {
//#CCC case
        case 0: {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 69069 + k;
            out[i] = h;
        }
        case 1:
            atomicAdd(&kinds[1], out[i]);
            break;
        default:
            atomicAdd(&kinds[0], 1);
        }
    }
}
