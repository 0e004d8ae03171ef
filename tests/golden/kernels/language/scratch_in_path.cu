// A rare branch sorts a few values in an array of its own.
//
// RUN: ccc --block 96
// REFUSED: line 16: uses local memory

extern "C" __global__ void scratch_in_path(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 5) {
            int v[8];
            int count = 0;
            for (int k = 0; k < in[i]; ++k) {
                int x = (i * 7 + k * 13) % 11;
                int at = count++;
                while (at > 0 && v[at - 1] > x) { v[at] = v[at - 1]; --at; }
                v[at] = x;
            }
            int h = 0;
            for (int k = 0; k < count; ++k) h = h * 5 + v[k];
            out[i] = h;
        }
    }
}
