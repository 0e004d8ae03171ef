// The first marked branch writes an element that the second one reads.
//
// RUN: ccc --block 96
// REFUSED: line 17: depends on

extern "C" __global__ void two_ifs_share_memory(int n, const int *__restrict__ in, int *__restrict__ mid, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] & 1) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + in[i];
            mid[i] = h;
        }
//#CCC if
        if (in[i] & 2) {
            int h = mid[i];
            for (int k = 0; k < 12; ++k) h = h * 69621 + k;
            out[i] = h;
        }
    }
}
