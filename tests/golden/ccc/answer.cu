// The rest of an iteration waits for what another block answers to the path, which would run behind it.
//
// RUN: ccc --block 32
// REPORT: the atomic on `answer` at
// REPORT-SAME: does not wait for an answer to the atomic on `request` at
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ request, int* __restrict__ answer, int* __restrict__ out) {
    if (blockIdx.x == 0) {
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                atomicAdd(&request[i], i + 5);
            } else atomicAdd(&request[i], 1);
            int r;
            while ((r = atomicAdd(&answer[i], 0)) == 0) {}
            out[i] = r;
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int r;
            while ((r = atomicAdd(&request[i], 0)) == 0) {}
            atomicAdd(&answer[i], r * 3);
        }
    }
}
