// A count is also read by the path, which writes it out.
//
// RUN: ccc --block 96
// REFUSED: line 15: register `%r25`, which the marked path hands on, is no reduction: `st.global.u32` takes it for something else than `+`
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ counts) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
//#CCC for reduce(+:count)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
            out[i] = count;
            count++;
        }
    }
    counts[t] = count;
}
