// The inner marked branch writes an element that the outer branch reads behind it.
//
// RUN: ccc --block 96
// REFUSED: line 19: a value that the marked path computes

extern "C" __global__ void marked_in_marked_reads_after(int n, const int *__restrict__ in, int *__restrict__ mid, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 12) {
            int h = i;
            for (int k = 0; k < 6; ++k) h = h * 48271 + in[i];
            mid[i] = h;
//#CCC if
            if ((h & 7) == 2) {
                for (int k = 0; k < 12; ++k) h = h * 69621 + k;
                mid[i] = h + 1;
            }
            out[i] = mid[i] * 5;
        }
    }
}
