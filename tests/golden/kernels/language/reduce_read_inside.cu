// An accumulator that the loop itself reads in each iteration, which no reduction may be.
//
// RUN: ccc --block 96
// REFUSED: line 17: which the marked path hands on, is no reduction: `st.global.u32` takes it for something else than `+`

extern "C" __global__ void reduce_read_inside(int n, const int *__restrict__ in, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
//#CCC for reduce(+:sum)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 3 == 0) {
            int h = in[i];
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k & 0xffff;
            sum += h;
        }
        out[i] = sum;
    }
    out[t] = sum;
}
