// The path asks the second block for something, the rest of the iteration waits for the answer in other memory.
//
// RUN: ccc --block 32
// REFUSED: line 13: a value that the marked path computes (register `%rd20`) is used after it
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* __restrict__ request, volatile int* __restrict__ answer, int* __restrict__ out) {
    if (blockIdx.x == 0) {
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                request[i] = i + 5;
            }
            if (v == 1) {
                int r;
                while ((r = answer[i]) == 0) {}
                out[i] = r;
            }
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (kind[i] == 1) {
                int r;
                while ((r = request[i]) == 0) {}
                answer[i] = r * 3;
            }
        }
    }
}
