// The sum so far is written out in the rest of each iteration.
//
// RUN: ccc --block 96
// REFUSED: line 12: register `%r23`, which the marked path hands on, is no reduction: `st.global.u32` takes it for something else than `+`
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { s += v * 31; }
        out[i] = s;
    }
}
