// An accumulator that the rare branch and the rest of each iteration fold values into.
//
// RUN: ccc --block 96
// LAUNCH: reduce_outside_too 2 96 i32:1000 i32[1000]=below:40:1 i32[192]=0
// LAUNCH: reduce_outside_too 1 33 i32:77 i32[1000]=below:40:2 i32[192]=0
// EXPECT: same-memory

extern "C" __global__ void reduce_outside_too(int n, const int *__restrict__ in, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 100;
//#CCC for reduce(+:sum)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
//#CCC if
        if (in[i] % 5 == 1) {
            int h = in[i];
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            sum += h;
        }
        else {
            sum -= i;
        }
        sum += 3;
    }
    out[t] = sum;
}
